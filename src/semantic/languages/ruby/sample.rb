# frozen_string_literal: true

require "json"
require_relative "shop/base"

module Shop
  LIMIT = 3

  class Cart < Base
    include Comparable
    attr_reader :total, :items
    Kind = Struct.new(:small)

    def initialize(total)
      @total = total
    end

    def self.build(*items)
      new(items.size)
    end

    def price(item, tax: 0) = item + tax

    def <=>(other)
      total <=> other.total
    end

    class << self
      def empty
        new(0)
      end
    end

    alias cost price
  end
end

def text
  <<~TEXT
    one #{LIMIT}
  TEXT
end

task :default do
  puts text
end
