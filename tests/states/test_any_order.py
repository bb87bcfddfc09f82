"""Every command in any order, with faults, kills, reboots, a second operator and an administrator's hands."""

from tests.any_order import try_sequences


def test_any_order_of_commands_and_troubles_leaves_a_host_that_is_what_its_record_says() -> None:
    try_sequences(150, the_same=True)
