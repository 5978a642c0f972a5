using System;
using System.Collections.Generic;
using Text = System.Text.StringBuilder;

[assembly: CLSCompliant(true)]

namespace Shop
{
    public delegate int Pricing(string item);

    public interface IPriced
    {
        int Price(string item);
        string Name { get; }
    }

    [Serializable]
    public class Cart<T> : Base, IPriced where T : class
    {
        private const int Limit = 3;
        private int total = 0, spare;

        public event EventHandler Changed;

        public Cart(int total)
        {
            this.total = total;
        }

        ~Cart() { }

        public string Name { get; set; } = "cart";

        public T this[int index] => items[index];

        public int Price(string item) => item.Length;

        public int Price(string item, params int[] more)
        {
            int Inner(int x) { return x + more.Length; }
            return Inner($"{item} {total}".Length);
        }

        public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;

        public static explicit operator int(Cart<T> cart) => cart.total;

        private enum Kind { Small, Large = 2 }
    }

    public record Point(int X, int Y);

    public struct Pair
    {
        public int First;
    }
}
