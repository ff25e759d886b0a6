"""Families about prices: fees, thresholds, discounts, percentages, grace periods."""

from __future__ import annotations

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import cap, extra, floor, missing, negative
from colbench_env.tasks.procedural.values import Integers

AMOUNTS = (("total",), ("amount",), ("value",), ("x",))

FREE_DELIVERY = Family(
    name="free_delivery",
    heads=(
        "I need the delivery fee of an order; big orders go free.",
        "Work out what delivery costs, free for large orders.",
    ),
    functions=("delivery_fee", "shipping_cost", "postage"),
    arguments=AMOUNTS,
    result="0 if $x >= $limit else $fee",
    core=(
        Parameter(
            "limit",
            Integers(21, 99),
            facts=("Delivery is free from {v} on.", "Orders of {v} or more are delivered free."),
            questions=("From which amount is delivery free?", "When are orders delivered free?"),
            topics="limit threshold large big",
            probes=lambda v: [(v["limit"] - 1,), (v["limit"],)],
        ),
        Parameter(
            "fee",
            Integers(3, 19),
            facts=("Otherwise the fee is {v}.", "The usual fee is {v}."),
            questions=("How much is the usual fee?", "What is the fee otherwise?"),
            topics="cost charge small",
            probes=lambda v: [(1,)],
        ),
    ),
    options=(missing(), negative(), extra()),
    inputs=lambda rng, v: (rng.randint(1, 120),),
)

BULK_PRICE = Family(
    name="bulk_price",
    heads=(
        "Price a number of pieces; large orders get the bulk rate.",
        "What do so many pieces cost? There is a bulk rate.",
    ),
    functions=("order_price", "piece_price", "quote"),
    arguments=(("pieces",), ("count",), ("n",)),
    result="$x * ($bulk if $x >= $limit else $single)",
    core=(
        Parameter(
            "limit",
            Integers(11, 60),
            facts=("Bulk orders start at {v} pieces.", "A bulk order has at least {v} pieces."),
            questions=("At how many pieces do bulk orders start?", "When is it a bulk order?"),
            topics="threshold limit large",
            probes=lambda v: [(v["limit"] - 1,), (v["limit"],)],
        ),
        Parameter(
            "single",
            Integers(21, 49),
            facts=("A single piece costs {v}.", "The normal price is {v} apiece."),
            questions=("What does a single piece cost?", "What is the normal price?"),
            topics="unit regular",
            probes=lambda v: [(1,)],
        ),
        Parameter(
            "bulk",
            Integers(3, 19),
            facts=("The bulk rate is {v} each.", "At the bulk rate, each costs {v}."),
            questions=("How much is the bulk rate?", "What does each cost at the bulk rate?"),
            topics="discounted price",
            probes=lambda v: [(v["limit"],)],
        ),
    ),
    options=(missing(), negative(), extra()),
    inputs=lambda rng, v: (rng.randint(1, 90),),
    heldout=True,
)

DISCOUNT = Family(
    name="discount",
    heads=(
        "Take our discount off a price; whole numbers only, the discount is rounded down.",
        "Give me the reduced price. The discount is rounded down to a whole number.",
    ),
    functions=("reduced_price", "after_discount", "net_price"),
    arguments=AMOUNTS,
    result="$x - $x * $rate // 100",
    core=(
        Parameter(
            "rate",
            Integers(5, 60),
            facts=("The discount is {v} percent.", "We take {v} percent off."),
            questions=("How many percent is the discount?", "What percent do we take off?"),
            topics="rate reduction",
        ),
    ),
    options=(missing(), negative(), cap(901, 999, 9000), floor(5, 35, 1), extra()),
    inputs=lambda rng, v: (rng.randint(100, 900),),
)

COMMISSION = Family(
    name="commission",
    heads=(
        "Work out our commission on a sale, rounded down; there is a lowest commission.",
        "Commission for one sale, in whole numbers rounded down, with a lowest amount.",
    ),
    functions=("commission", "broker_fee", "our_share"),
    arguments=AMOUNTS,
    result="max($lowest, $x * $rate // 100)",
    core=(
        Parameter(
            "rate",
            Integers(6, 48),
            facts=("Our rate is {v} percent.", "We get {v} percent of the sale."),
            questions=("What percent is our rate?", "How many percent of the sale do we get?"),
            topics="commission share",
        ),
        Parameter(
            "lowest",
            Integers(11, 30),
            facts=("The lowest commission is {v}.", "We charge {v} as the lowest commission."),
            questions=("What is the lowest commission?", "How low can the commission get?"),
            topics="minimum least",
            probes=lambda v: [(10,)],
        ),
    ),
    options=(missing(), negative(), extra()),
    inputs=lambda rng, v: (rng.randint(600, 2000),),
)

PARKING = Family(
    name="parking",
    heads=(
        "Parking costs an entry charge and so much an hour.",
        "I run a car park: an entry charge, then a price for each hour.",
    ),
    functions=("parking_fee", "parking_price", "car_park_charge"),
    arguments=(("hours",), ("h",), ("time",)),
    result="$entry + $hourly * $x",
    core=(
        Parameter(
            "hourly",
            Integers(3, 40),
            facts=("Each hour costs {v}.", "The price is {v} an hour."),
            questions=("What does each hour cost?", "What is the price of an hour?"),
            topics="hourly rate",
        ),
        Parameter(
            "entry",
            Integers(5, 60),
            facts=("The entry charge is {v}.", "Entry alone is {v}."),
            questions=("How much is the entry charge?", "What is charged for entry?"),
            topics="base fixed",
        ),
    ),
    options=(missing(), negative(), cap(541, 999, 1000)),
    inputs=lambda rng, v: (rng.randint(1, 12),),
    heldout=True,
)

LATE_FEE = Family(
    name="late_fee",
    heads=(
        "What does it cost to return a book late? The first days are free of charge.",
        "Compute the fine for a late return, with some free days first.",
    ),
    functions=("late_fee", "fine", "overdue_charge"),
    arguments=(("days",), ("late",), ("n",)),
    result="max(0, $x - $grace) * $daily",
    core=(
        Parameter(
            "grace",
            Integers(5, 40),
            facts=("The first {v} days are free.", "You have {v} free days."),
            questions=("How many days are free?", "How many free days are there?"),
            topics="grace period first",
            probes=lambda v: [(v["grace"],), (v["grace"] + 1,)],
        ),
        Parameter(
            "daily",
            Integers(2, 19),
            facts=("After that it costs {v} daily.", "The daily fine is {v}."),
            questions=("What is the daily fine?", "What does it cost daily after that?"),
            topics="rate per each",
        ),
    ),
    options=(missing(), negative(), cap(60, 99, 9999), extra()),
    inputs=lambda rng, v: (rng.randint(0, 90),),
)

FAMILIES = (FREE_DELIVERY, BULK_PRICE, DISCOUNT, COMMISSION, PARKING, LATE_FEE)
