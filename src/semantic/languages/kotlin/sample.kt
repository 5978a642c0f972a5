@file:JvmName("Shop")

package shop

import java.util.Locale
import shop.base.*
import shop.tax.Tax as Duty

const val LIMIT = 3
typealias Prices = Map<String, Int>

interface Priced {
    val name: String
    fun price(item: String): Int
}

data class Point(val x: Int, val y: Int)

open class Cart<T>(private val total: Int) : Base(total), Priced {
    override val name: String
        get() = "cart"
    var spare = 0

    init {
        require(total >= 0)
    }

    constructor(item: String) : this(item.length)

    override fun price(item: String): Int = item.length

    fun price(item: String, tax: Int): Int {
        fun inner(x: Int) = x + tax
        return inner(item.length)
    }

    companion object {
        fun empty() = Cart<Int>(0)
    }

    enum class Kind { SMALL, LARGE }
}

object Registry {
    val all = mutableListOf<Priced>()
}

fun String.shout(): String = uppercase(Locale.ROOT)

fun load(path: String): String {
    return """one
        $path"""
}
