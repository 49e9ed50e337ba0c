"""A program is stopped for what it does, not for how long it takes."""
import unittest

from trials import run_limited


class Limits(unittest.TestCase):
    def test_what_never_ends_is_stopped(self):
        self.assertEqual(run_limited(["sh", "-c", "while :; do :; done"], ".", 1), "timeout")

    def test_what_others_keep_from_the_processor_is_not(self):
        ran = run_limited(["sh", "-c", "sleep 2; echo through"], ".", 1)
        self.assertEqual((ran.returncode, ran.stdout), (0, "through\n"))


if __name__ == "__main__":
    unittest.main()
