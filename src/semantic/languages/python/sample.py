import os
from typing import List, Optional
LIMIT = 3
class Token(Base):
    kind = "x"
    def validate(self, n: int) -> bool:
        local = n
        return local > 0
    @property
    def size(self):
        return 1
@cached
def load(path):
    def inner():
        return 2
    return inner
