<?php

declare(strict_types=1);

namespace Shop;

use Shop\Base\{Item, Tax as Duty};
use Shop\Priced;
use function Shop\round_up;

const LIMIT = 3;

interface HasPrice
{
    public function price(string $item): int;
}

trait Counts
{
    private int $count = 0;
}

#[Entity]
final class Cart extends Base implements Priced, HasPrice
{
    use Counts;

    const SMALL = 1;

    private ?int $total = null;
    public static array $all = [];

    public function __construct(private int $first, int ...$more)
    {
        $this->total = $first;
    }

    public function price(string $item): int
    {
        return strlen("{$item} $this->total");
    }
}

enum Kind: string
{
    case Small = 's';
    case Large = 'l';
}

function load(string $path): array
{
    return ['path' => $path, 'text' => <<<TEXT
        one $path
        TEXT];
}

$cart = new Cart(1);
