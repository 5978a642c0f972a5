package shop

import (
	"fmt"
	log "os"
)

const Limit = 3

var total int

type Cart struct {
	Items []string
	owner string
}

type Pricer interface {
	Price(item string) int
}

func (c *Cart) Add(item string) {
	fmt.Println(item)
}

func New() *Cart { return nil }
