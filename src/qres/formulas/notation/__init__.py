"""Expressions as text and as MathML."""

from ._mathml import identifier as identifier
from ._mathml import mathml_number as mathml_number
from ._mathml import mathml_of as mathml_of
from ._text import precedence as precedence
from ._text import text_of as text_of
