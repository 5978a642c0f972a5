package shop;

import java.util.List;
import java.io.IOException;

public class Cart<T> extends Base implements Priced {
    private int total = 0;

    public Cart(int total) {
        this.total = total;
    }

    int price(int item) { return item; }

    int price(String item, int... more) throws IOException { return 0; }

    enum Kind { SMALL, LARGE }
}

interface Priced {
    int LIMIT = 3;

    int price(int item);
}
