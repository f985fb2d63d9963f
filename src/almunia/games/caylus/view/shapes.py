"""The shapes of Caylus' pictures: buildings, icons, materials and pieces, as path data with a CSS class each.

A board defines icons, materials and pieces once, as symbols, and shows them by `<use>`. In browsers a rule of CSS
reaches the inside of a symbol only by classes inside the symbol. So `view.css` styles symbols without `.caylus`: `pic`
for buildings, `ic` for icons, and `pawn`, `seal` and `walker` for pieces. Custom properties reach them as usual.
"""

import svg

from ....core.svg import MARKS, cached_drawing, group_at, label, path, shape, use
from ..components import CLASSES, SEATS

Shapes = tuple[tuple[str, str], ...]  # a class and path data for each shape

# --- buildings: 50 wide and 56 high from their corner; the ground begins at 42 ---------------------------------

PICTURES: dict[str, Shapes] = {
    "farm": (
        ("lime", "M7 28H27V45H7Z"),
        ("straw", "M3 30L17 14 31 30Z"),
        ("dark", "M13 34H20V45H13Z"),
        ("grass", "M31 40L48 36V54H14Q26 52 31 40Z"),
        ("thin", "M36 39Q32 50 24 54M42 38Q40 49 34 54M47 38Q48 47 44 54"),
    ),
    "farm_food": (
        ("lime", "M3 30H20V46H3Z"),
        ("straw", "M0 32L11 18 23 32Z"),
        ("dark", "M8 36H14V46H8Z"),
        ("straw", "M31 50L34 38 29 24Q33 27 35 22 37 27 40 22 41 28 46 25L40 38 43 50Z"),
        ("beam", "M33 36H41V40H33Z"),
    ),
    "farm_cloth": (
        ("lime", "M4 26H20V41H4Z"),
        ("straw", "M1 28L12 14 23 28Z"),
        ("dark", "M9 31H15V41H9Z"),
        (
            "white",
            (
                "M25 41C20 42 19 37 22 35 21 30 27 28 30 30 33 27 38 28 39 31 44 31 44 38 41 39 40 43 35 43 33 "
                "41 30 44 26 43 25 41Z"
            ),
        ),
        ("dark", "M24 33L19 31Q18 37 22 38ZM29 43V48H31V43ZM36 43V48H38V43Z"),
        ("pen", "M2 50H48M6 46V54M20 46V54M34 48V54M46 46V54"),
    ),
    "farm_stone": (
        ("stone", "M3 26H27V46H3Z"),
        ("brick", "M0 28L6 14H24L30 28Z"),
        ("dark", "M10 46V36A5 5 0 0 1 20 36V46Z"),
        ("thin", "M3 32H10M3 38H9M21 32H27M22 38H27"),
        (
            "white",
            (
                "M32 47C27 48 26 43 29 41 28 36 34 34 37 36 40 33 45 34 46 37 51 37 51 44 48 45 47 49 42 49 40 "
                "47 37 50 33 49 32 47Z"
            ),
        ),
        ("dark", "M31 39L26 37Q25 43 29 44ZM36 49V54H38V49ZM43 49V54H45V49Z"),
    ),
    "forest": (
        ("leaf", "M12 8L22 30H17L24 42H0L7 30H2Z"),
        ("grass", "M37 12L47 32H43L49 44H26L32 32H28Z"),
        ("leaf", "M24 20L33 38H29L36 50H12L19 38H15Z"),
        ("beam", "M22 50H26V54H22ZM10 42H13V46H10Z"),
    ),
    "sawmill": (
        ("beam", "M4 54L12 36H16L10 54ZM46 54L38 36H34L40 54Z"),
        ("wood", "M4 26H44V37H4Z"),
        ("lime", "M38.4 31.5a5.6 5.6 0 1 0 11.2 0a5.6 5.6 0 1 0-11.2 0Z"),
        ("thin", "M44 29A2.5 2.5 0 1 1 43.9 29M8 29H34M12 33H36"),
        ("stone", "M18 8L23 6 29 48 24 48Z"),
        ("pole", "M17 8L25 4"),
    ),
    "quarry": (
        ("slate", "M0 48V26L10 22 14 10 28 6 34 18 46 24 50 48Z"),
        ("stone", "M0 48V38H14V28H28V20L34 18 46 24 50 48Z"),
        ("thin", "M14 38H30V28M30 38V48M40 30H50M8 38V48"),
        ("stone", "M6 44H16V53H6ZM18 47H28V54H18Z"),
        ("pole", "M32 52L44 30"),
        ("slate", "M35 28Q43 25 50 35 43 30 35 32Z"),
    ),
    "marketplace": (
        ("beam", "M6 22H9V52H6ZM41 22H44V52H41Z"),
        ("wood", "M3 38H47V50H3Z"),
        ("white", "M2 24L8 8H42L48 24Z"),
        ("brick", "M2 24L8 8H15L12 24ZM22 24L23 8H30L31 24ZM41 24L37 8H42L48 24Z"),
        ("rose", "M9 38A4 4 0 0 1 17 38Z"),
        ("straw", "M20 38A4 4 0 0 1 28 38Z"),
        ("grass", "M31 38A4 4 0 0 1 39 38Z"),
    ),
    "carpenter": (
        ("lime", "M8 30H40V48H8Z"),
        ("pen", "M4 32L24 10 44 32M8 48V28M40 48V28M24 48V10M8 38H40M14 30L24 20 34 30M12 24H36"),
        ("wood", "M2 46H36V52H2Z"),
        ("pole", "M36 50L46 30"),
        ("slate", "M37 26L49 30 47 36 36 31Z"),
    ),
    "peddler": (
        ("pen", "M10 52V18"),
        ("wood", "M26 22H42V44H26Z"),
        ("plum", "M26 22L28 16H40L42 22Z"),
        ("thin", "M26 30H42M34 22V44"),
        ("blue", "M14 54L17 28Q22 22 27 28L30 54Z"),
        ("lime", "M15.5 19a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z"),
        ("brick", "M13 17Q21 6 30 17Z"),
        ("pen", "M17 34L10 36M24 52V44"),
    ),
    "gold_mine": (
        ("slate", "M0 50Q4 20 24 8 44 18 50 50Z"),
        ("dark", "M14 50V30H36V50Z"),
        ("wood", "M11 50V27H15V50ZM35 50V27H39V50ZM9 24H41V29H9Z"),
        ("beam", "M17 42H35L32 52H20Z"),
        ("straw", "M18 42Q20 36 23 39 26 33 29 38 33 36 34 42ZM6 46L10 42 13 46 10 50ZM40 40L44 37 46 42 42 44Z"),
    ),
    "mason": (
        ("stone", "M2 38H18V50H2ZM18 38H34V50H18ZM10 26H26V38H10ZM34 38H48V50H34Z"),
        ("slate", "M26 26H40V38H26ZM18 14H34V26H18Z"),
        ("stone", "M30 8L46 12 36 22Z"),
        ("pole", "M42 13L47 4"),
    ),
    "lawyer": (
        ("lime", "M10 8H38Q43 8 42 14H36V44Q36 50 30 50H8Q12 48 12 44V14Q12 9 10 8Z"),
        ("thin", "M17 18H31M17 24H31M17 30H31M17 36H26"),
        ("brick", "M26 44a6 6 0 1 0 12 0a6 6 0 1 0-12 0ZM29 49L27 56 32 53 36 56 35 49Z"),
        ("white", "M48 4Q38 10 37 28 46 22 48 4Z"),
    ),
    "park": (
        ("leaf", "M4 50V38Q2 22 14 14 20 4 30 10 46 12 46 30 48 34 42 38 34 40 30 38V50H22V38Q12 42 4 36Z"),
        ("beam", "M21 52L22 34H30L31 52Z"),
        (
            "rose",
            (
                "M9.8 24a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0ZM20.8 16a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0"
                "ZM32.8 20a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0ZM34.8 32a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 "
                "0-6.4 0ZM8.8 34a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0Z"
            ),
        ),
        ("pen", "M0 54H50M4 54V46M14 54V47M38 54V46M46 54V46M0 49H18M35 49H50"),
    ),
    "workshop": (
        ("stone", "M4 22H46V50H4Z"),
        ("brick", "M1 24L8 8H42L49 24Z"),
        ("dark", "M9 50V36A8 8 0 0 1 25 36V50Z"),
        ("slate", "M10 50V42H18V50Z"),
        ("plum", "M29 30H43V46Q39 43 36 46 32 48 29 45Z"),
        ("thin", "M14 8L10 24M22 8L20 24M30 8L31 24M37 8L41 24"),
    ),
    "church": (
        ("lime", "M20 30H46V50H20Z"),
        ("blue", "M17 32L24 20H42L49 32Z"),
        ("stone", "M6 24H22V50H6Z"),
        ("blue", "M4 25L14 8 24 25Z"),
        ("pole", "M14 8V0M11 3H17"),
        ("dark", "M10 50V42A4 4 0 0 1 18 42V50Z"),
        ("straw", "M28 44V38A3 3 0 0 1 34 38V44ZM38 44V38A3 3 0 0 1 44 38V44Z"),
    ),
    "tailor": (
        ("plum", "M16 12L22 9Q25 13 28 9L34 12 44 22 38 27 35 24 38 50H12L15 24 12 27 6 22Z"),
        ("straw", "M14 36H36V40H14Z"),
        ("thin", "M25 13V36"),
        ("pen", "M36 46L48 30M48 46L36 30M33 49a3 3 0 1 0 6 0a3 3 0 1 0-6 0ZM45 49a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z"),
    ),
    "bank": (
        ("wood", "M5 30H45V52H5Z"),
        ("beam", "M5 30Q5 16 15 16H35Q45 16 45 30Z"),
        ("straw", "M9 30Q11 22 16 25 19 19 24 24 29 19 33 25 39 22 41 30Z"),
        ("slate", "M5 30H45V34H5Z"),
        ("straw", "M21 31H29V41H21Z"),
        ("thin", "M12 34V52M38 34V52"),
        ("dark", "M23.5 36a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0Z"),
    ),
    "alchemist": (
        ("stone", "M6 36H24V52H6Z"),
        ("dark", "M11 52V46A4 4 0 0 1 19 46V52Z"),
        ("brick", "M12 52Q12 47 15 46 18 48 18 52Z"),
        ("blue", "M10 24V10H20V24Q26 28 26 34 15 40 4 34 4 28 10 24Z"),
        ("white", "M12 8H18V5H12Z"),
        ("pen", "M20 14H30Q38 14 38 24V32"),
        ("straw", "M34 32H42V38L47 50H29L34 38Z"),
    ),
    "architect": (
        ("lime", "M4 26L38 20 46 48 10 54Z"),
        ("thin", "M12 34L20 33 22 44 14 45ZM24 31L36 29 38 40 26 42Z"),
        ("pole", "M22 6L14 44M22 6L36 40"),
        ("straw", "M19 4A4 4 0 1 1 25 9L22 12 18 9Z"),
        ("pen", "M18 27Q24 30 31 26"),
    ),
    "jeweller": (
        ("straw", "M25 54A14 14 0 1 1 25.1 54ZM25 48A8 8 0 1 0 24.9 48Z"),
        ("blue", "M15 14L20 6H30L35 14 25 26Z"),
        ("thin", "M15 14H35M20 14L25 26 30 14M25 6L20 14M25 6L30 14"),
    ),
    "residence": (
        ("lime", "M5 28H25V48H5Z"),
        ("brick", "M2 30L15 14 28 30Z"),
        ("lime", "M25 32H45V48H25Z"),
        ("brick", "M22 34L27 22H43L48 34Z"),
        ("dark", "M11 38H18V48H11Z"),
        ("blue", "M29 38H34V43H29ZM37 38H42V43H37Z"),
        ("straw", "M12 24H17V29H12Z"),
        ("leaf", "M2 52Q2 46 8 48 12 44 16 49 22 46 26 50 34 46 38 49 48 46 48 54H2Z"),
    ),
    "statue": (
        ("slate", "M10 46H40V54H10Z"),
        ("stone", "M15 34H35V46H15Z"),
        ("straw", "M20 34V20Q20 14 25 14T30 20V34ZM20.5 9a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z"),
        ("pole", "M34 34V8M31 13H37"),
        ("straw", "M29 18L35 20 34 23 29 22ZM21 18L14 26 17 28 21 24Z"),
    ),
    "granary": (
        ("lime", "M10 26H34V50H10Z"),
        ("straw", "M5 28Q20 2 39 28Z"),
        ("thin", "M14 22L20 12M22 24L22 10M31 24L25 12"),
        ("dark", "M18 50V40H26V50Z"),
        ("wood", "M33 54Q30 44 36 42L35 38H43L42 42Q49 45 46 54Z"),
        ("pen", "M35 42H43"),
    ),
    "library": (
        ("wood", "M4 8H46V34H4Z"),
        ("brick", "M8 12H13V31H8Z"),
        ("blue", "M14 12H18V31H14Z"),
        ("leaf", "M19 14H24V31H19Z"),
        ("plum", "M31 12H36V31H31Z"),
        ("straw", "M37 14H42V31H37Z"),
        ("brick", "M25 14L30 12V31H26Z"),
        ("white", "M25 40Q14 34 4 40V53Q15 48 25 53 35 48 46 53V40Q36 34 25 40Z"),
        ("thin", "M25 40V53M9 43Q15 41 20 44M30 44Q36 41 41 43"),
    ),
    "weaver": (
        ("wood", "M6 6H11V54H6ZM39 6H44V54H39ZM6 10H44V15H6Z"),
        ("plum", "M13 32H37V50H13Z"),
        ("thin", "M15 15V32M19 15V32M23 15V32M27 15V32M31 15V32M35 15V32"),
        ("straw", "M13 36H37V39H13ZM13 44H37V46H13Z"),
        ("beam", "M18 26Q26 22 32 27 25 31 18 26Z"),
    ),
    "theater": (
        ("wood", "M2 46H48V54H2Z"),
        ("dark", "M6 12H44V46H6Z"),
        ("brick", "M6 12H22Q22 30 8 46H6ZM44 12H28Q28 30 42 46H44Z"),
        ("straw", "M2 6H48V13Q43 17 38 13 32 18 25 13 18 18 12 13 7 17 2 13Z"),
        ("white", "M19 30Q25 27 31 30 31 42 25 42T19 30Z"),
        ("thin", "M22 34H23M27 34H28M22 38Q25 41 28 38"),
    ),
    "college": (
        ("stone", "M4 24H46V50H4Z"),
        ("blue", "M1 26L8 16H42L49 26Z"),
        ("lime", "M19 6H31V16H19Z"),
        ("blue", "M17 7L25 0 33 7Z"),
        ("straw", "M22 9H28V15H22Z"),
        ("dark", "M8 50V38A4 4 0 0 1 16 38V50ZM21 50V36A4 4 0 0 1 29 36V50ZM34 50V38A4 4 0 0 1 42 38V50Z"),
        ("thin", "M4 30H46"),
    ),
    "monument": (
        ("slate", "M6 48H44V54H6Z"),
        ("stone", "M12 40H38V48H12ZM18 40L21 10 25 4 29 10 32 40Z"),
        ("slate", "M25 4L29 10 32 40H26Z"),
        ("straw", "M19 27a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z"),
        ("pen", "M22 27L25 30 29 24"),
        ("leaf", "M6 48Q8 40 12 40V48ZM44 48Q42 40 38 40V48Z"),
    ),
    "hotel": (
        ("stone", "M6 36H40V52H6Z"),
        ("lime", "M4 18H42V36H4Z"),
        ("brick", "M1 20L10 5H36L45 20Z"),
        ("pen", "M4 27H42M14 18V36M23 18V36M32 18V36M4 18L14 27M42 18L32 27"),
        ("dark", "M18 52V43A5 5 0 0 1 28 43V52Z"),
        ("straw", "M8 40H14V46H8ZM32 40H37V46H32Z"),
        ("pen", "M40 30H48V33"),
        ("blue", "M43 33H50V42H43Z"),
    ),
    "cathedral": (
        ("stone", "M14 18H36V52H14Z"),
        ("blue", "M12 20L25 6 38 20Z"),
        ("stone", "M3 16H16V52H3ZM34 16H47V52H34Z"),
        ("blue", "M2 17L9.5 0 17 17ZM33 17L40.5 0 48 17Z"),
        ("straw", "M19 27a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z"),
        ("thin", "M25 21V33M19 27H31M21 23L29 31M29 23L21 31"),
        ("dark", "M20 52V44A5 5 0 0 1 30 44V52ZM7 28V23A2.5 2.5 0 0 1 12 23V28ZM38 28V23A2.5 2.5 0 0 1 43 23V28Z"),
    ),
    "gate": (
        ("stone", "M4 12H10V16H14V12H20V16H30V12H36V16H40V12H46V52H4Z"),
        ("dark", "M13 52V34A12 12 0 0 1 37 34V52Z"),
        ("pole", "M19 52V26M25 52V22M31 52V26M14 36H36M14 44H36"),
        ("thin", "M4 24H14M36 24H46M4 34H12M38 34H46M4 44H12M38 44H46M9 16V24M41 16V24"),
    ),
    "trading_post": (
        ("pen", "M25 8V50M8 16H42M8 16L3 34H15L10 16M42 16L36 34H48L42 16"),
        ("straw", "M2 34H16Q14 42 9 42T2 34ZM35 34H49Q47 42 42 42T35 34Z"),
        ("beam", "M14 50H36V54H14Z"),
        ("straw", "M21 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z"),
    ),
    "merchants_guild": (
        ("beam", "M6 40H44Q42 52 34 52H16Q8 52 6 40Z"),
        ("pen", "M25 40V4"),
        ("white", "M10 12Q25 6 40 12 36 24 40 34 25 30 10 34 14 24 10 12Z"),
        ("blue", "M20 9Q25 8 30 9 28 22 30 32 25 31 20 32 22 20 20 9Z"),
        ("water", "M0 52Q6 48 12 52T25 52 38 52 50 52V56H0Z"),
    ),
    "joust_field": (
        ("pole", "M4 50L44 8M46 50L6 8"),
        ("straw", "M44 8L49 3 47 11ZM6 8L1 3 3 11Z"),
        ("brick", "M13 20H25V46Q14 40 13 30Z"),
        ("white", "M37 20H25V46Q36 40 37 30Z"),
        ("thin", "M13 31H37"),
    ),
    "stables": (
        ("beam", "M14 54Q10 34 18 22L17 10 24 15Q36 18 43 33 46 39 41 42 36 44 32 38 26 36 28 44L34 54Z"),
        ("dark", "M17 10Q8 18 8 34 10 44 14 54 11 34 18 22Z"),
        ("white", "M27 25a2 2 0 1 0 4 0a2 2 0 1 0-4 0Z"),
        ("straw", "M25 38L40 30 41 33 27 41Z"),
    ),
    "inn": (
        ("pen", "M8 4V54M8 8H42M18 8V13M36 8V13"),
        ("wood", "M12 13H42V44H12Z"),
        ("lime", "M18 22H32V40H18Z"),
        ("white", "M16 22Q16 16 22 18 26 14 30 18 35 17 34 23H16Z"),
        ("pen", "M32 25H36Q38 25 38 28V32Q38 35 36 35H32M22 27V36M27 27V36"),
    ),
}

# --- icons: about 17 wide, around 0, 0 --------------------------------------------------------------------------

HOUSE = "M-8 8V-1L0-8 8-1V8Z"
ICONS: dict[str, Shapes] = {
    "food": (
        ("food", "M0-4C3-8 9-6 8 0 7 6 3 8 0 7-3 8-7 6-8 0-9-6-3-8 0-4Z"),
        ("shade", "M8 0C7 6 3 8 0 7 5 5 6 0 4-6 8-5 9-3 8 0Z"),
        ("pen", "M0-4C0-7 1-8 3-9"),
    ),
    "wood": (
        ("wood", "M-6-6H7V0H-6ZM-8 0H6V6H-8Z"),
        ("shade", "M-3-1.8H7V0H-3ZM-5 4.2H6V6H-5Z"),
        ("cut", "M-9-3a3 3 0 1 0 6 0a3 3 0 1 0-6 0ZM-10 3a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z"),
    ),
    "stone": (
        ("stone", "M-8-3L-1-8 8-5V4L1 8-8 5Z"),
        ("light", "M-8-3L-1-8 8-5 1-.5Z"),
        ("shade", "M1-.5L8-5V4L1 8Z"),
    ),
    "cloth": (
        ("cloth", "M-8-7H6V-1C3-1 4 3 7 7H-5C-7 4-5-1-8-1Z"),
        ("light", "M-8-7H6V-4H-8Z"),
        ("cloth", "M3-4a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z"),
    ),
    "gold": (("gold", "M-4-5H4L8 6H-8Z"), ("light", "M-4-5H4L5-2H-5Z")),
    "any": (
        ("asked", "M-4-7H4Q7-7 7-4V4Q7 7 4 7H-4Q-7 7-7 4V-4Q-7-7-4-7Z"),
        ("line", "M-2.5-1.5A2.5 2.5 0 1 1 .7 1V2M.7 4.6V4.7"),
    ),
    "common": (
        ("food", "M-7-7H0V0H-7Z"),
        ("wood", "M0-7H7V0H0Z"),
        ("stone", "M-7 0H0V7H-7Z"),
        ("cloth", "M0 0H7V7H0Z"),
    ),
    "coin": (("coin", "M-8.8 0a8.8 8.8 0 1 0 17.6 0a8.8 8.8 0 1 0-17.6 0Z"), ("ring", "M0-6.8A6.8 6.8 0 1 1-.1-6.8Z")),
    "points": (("points", "M0-10L9-5V5L0 10-9 5V-5Z"),),
    "favour": (("gold", "M-9-5L-4 0 0-8 4 0 9-5 7 4H-7Z"), ("tile", "M-7 4H7V8H-7Z")),
    "arrow": (("line", "M-4.5 0H4M.5-3.5L4 0 .5 3.5"),),
    "or": (("line", "M2.2-6L-2.2 6"),),
    "exchange": (
        ("asked", "M-16-6H-10Q-7-6-7-3V3Q-7 6-10 6H-16Q-19 6-19 3V-3Q-19-6-16-6Z"),
        ("line", "M-5 0H1M-1.5-3L1.5 0-1.5 3"),
        ("food", "M4-6H10V0H4Z"),
        ("cloth", "M10-6H16V0H10Z"),
        ("wood", "M4 0H10V6H4Z"),
        ("stone", "M10 0H16V6H10Z"),
        ("pen", "M19-3V9H7"),
    ),
    "anywhere": (("line", "M0-7V7M-7 0H7M-2-5L0-7 2-5M-2 5L0 7 2 5M-5-2L-7 0-5 2M5-2L7 0 5 2"),),
    "income": (("line", "M0-8V3M-4-1L0 3 4-1M-6 7H6"),),
    "owner": (("line", "M-5 8V-8"), ("flag", "M-5-8H6L3-4 6 0H-5Z")),
    "nothing": (("line", "M-4-4L4 4M4-4L-4 4"),),
    "wood-house": (("of-wood", HOUSE), ("cream", "M-5 2H5M-5 5H5")),
    "stone-house": (("of-stone", HOUSE), ("cream", "M-6 1H6M-6 4.5H6M0 1V4.5M-3 4.5V7M3 4.5V7")),
    "prestige-house": (("of-prestige", "M-8 8V-6L-4-2 0-8 4-2 8-6V8Z"), ("gilt", "M-5 4.5H5")),
    "residence": (("of-residential", HOUSE), ("door", "M-2 8V2H2V8Z")),
    "worker": (("pale", "M-10 10C-10 2-7-2-3.5-4A6 6 0 1 1 3.5-4C7-2 10 2 10 10Z"),),
    "scoring": (("saffron", "M-9-5H5L10 1 5 7H-9Z"),),
    "tree": (("leaves", "M-9 3C-13-3-7-12 0-12S13-3 9 3C5 7-5 7-9 3Z"), ("twigs", "M0 6V12M-4-3Q-1-6 2-5")),
    "fir": (("needles", "M0-15L8 0H4L10 9H-10L-4 0H-8Z"), ("twigs", "M0 9V13")),
    "bush": (("leaves", "M-10 4C-12-2-6-5-4-3-2-8 5-7 5-3 9-5 12 0 10 4Z"),),
}

# --- materials: the ground of a tile, 127 x 82 from its corner, and the band of its name -------------------------

SHADE = ("shade", "M127 7L129 9V80Q129 84 125 84H7L4 82H121Q127 82 127 77Z")
WINDOW: Shapes = (
    ("sky", "M4 25Q4 21 8 21H50Q54 21 54 25V64H4Z"),
    ("grass", "M4 62Q16 56 30 61T54 60V74Q54 78 50 78H8Q4 78 4 74Z"),
)
BANDS: dict[str, Shapes] = {
    "neutral": (("of-neutral edge", "M0 5Q0 0 5 0H122Q127 0 127 5V18" + "q-5 6-10.58 0" * 12 + "Z"),),
    "fixed": (("of-fixed", "M12 .6H115Q126.4.6 126.4 12V17H.6V12Q.6.6 12 .6Z"),),
    "wood": (
        ("of-wood", "M2.6.6H124.4V3.6H126.4V14.4H124.4V17H2.6V14.4H.6V3.6H2.6Z"),
        ("grain", "M6 4.5H60M70 13.5H120M90 4.5H121"),
    ),
    "stone": (
        ("of-stone", "M3.2.6H123.8L126.4 3.2V17H.6V3.2Z"),
        ("grain", "M.6 9H5M122 9H126M5 1V17M122 1V17"),
    ),
    "prestige": (
        ("of-prestige", "M7 .6H120Q121 5 126.4 7V17H.6V7Q6 5 7 .6Z"),
        ("gilt", "M10 3H117Q118 9 124 10M3 10Q9 9 10 3"),
    ),
    "residential": (("of-residential", "M3 4H124V17H3Z"),),
}
HEDGE = "M6 2" + "q5-4 9.6 0" * 12 + "q6 2 3 8" + "q4 5 0 10" * 6 + "q0 7-6 8" + "q-5 4-9.6 0" * 12
HEDGE += "q-6-2-3-8" + "q-4-5 0-10" * 6 + "q0-6 5-8Z"
GROUNDS: dict[str, Shapes] = {  # roof tiles, pebbles, planks, ashlar, a golden frame and a hedge tell them apart
    "neutral": (("on-neutral edge", "M5 0H122Q127 0 127 5V77Q127 82 122 82H5Q0 82 0 77V5Q0 0 5 0Z"),),
    "fixed": (
        ("on-fixed edge", "M12 0H115Q127 0 127 12V70Q127 82 115 82H12Q0 82 0 70V12Q0 0 12 0Z"),
        ("pebbles", "M123.5 20V70Q123.5 78.5 115 78.5H12Q3.5 78.5 3.5 70V20"),
    ),
    "wood": (
        ("on-wood edge", "M2 0H125V3H127V15H125V67H127V79H125V82H2V79H0V67H2V15H0V3H2Z"),
        ("planks", "M2 33H125M2 49H125M2 65H125M88 17V33M70 49V65M104 33V49M96 65V82"),
    ),
    "stone": (
        ("on-stone edge", "M3 0H124L127 3V79L124 82H3L0 79V3Z"),
        (
            "joints",
            "M0 34H127M0 50H127M0 66H127M78 18V34M110 18V34M64 34V50M96 34V50M78 50V66M110 50V66M64 66V82M92 66V82",
        ),
    ),
    "prestige": (
        ("on-prestige edge", "M7 0H120A7 7 0 0 0 127 7V75A7 7 0 0 0 120 82H7A7 7 0 0 0 0 75V7A7 7 0 0 0 7 0Z"),
        ("gilt", "M3 18H124V72Q118 73 117 79H10Q9 73 3 72Z"),
    ),
    "residential": (("on-residential", "M3 3H124V80H3Z"), ("hedge edge", f"{HEDGE}M4 18V78H123V18Z")),
}

# --- pieces: standing on 0, 0 -------------------------------------------------------------------------------------

BODY = "M-10 0C-10-8-7-12-3.5-14A6 6 0 1 1 3.5-14C7-12 10-8 10 0Z"
BAILIFF: Shapes = (  # a broad hat, cream
    ("coat", "M-11 0Q-10-14-5-18H5Q10-14 11 0Z"),
    ("head", "M0-28A6 6 0 1 1-.1-28Z"),
    ("hat", "M-11-24Q-8-27-5-27L-4-32H4L5-27Q8-27 11-24Z"),
)
PROVOST: Shapes = (  # a plume and a staff, dark
    ("coat", "M-11 0Q-11-13-5-18H5Q9-14 10 0Z"),
    ("staff", "M12 2V-33"),
    ("knob", "M12-37L15-33 12-29 9-33Z"),
    ("head", "M0-28A6 6 0 1 1-.1-28Z"),
    ("hat", "M-7-24Q-7-32 0-32T7-24Z"),
    ("plume", "M2-31Q10-40-6-38Q-4-34 2-31Z"),
)
WALKERS = {"bailiff": BAILIFF, "provost": PROVOST}
BLOCK = "M0 2Q0 0 2 0H23Q25 0 25 2V18H0Z"  # a house of the castle, from its corner
PLOT: Shapes = (
    ("plot", "M6 3H121Q124 3 124 6V76Q124 79 121 79H6Q3 79 3 76V6Q3 3 6 3Z"),
    ("posts", "M3-1V6M124-1V6M3 74V82M124 74V82"),
)
MILESTONE = "M2 102V90Q2 84 14 84T26 90V102Z"  # of a space, from the corner of its tile
CELL = "M5 1H39.4Q44.4 1 44.4 6V38Q44.4 43 39.4 43H5Q0 43 0 38V6Q0 1 5 1Z"  # of the favours
SIGN = "M-31-9H25L32 0 25 9H-31Z"
GAP: Shapes = (("hole", "M1 1H24V17H1Z"), ("boards", "M3 4L22 14M3 14L22 4"))  # a house that was not built in time


def shapes(drawn: Shapes) -> list[svg.Element]:
    return [shape(d, *classes.split()) for classes, d in drawn]


def picture(tile: str, x: float, y: float, scale: float = 1) -> svg.G:
    """Draw a building of the data or of the special buildings, with its corner at a point."""
    found = PICTURES.get(tile) or PICTURES[tile.rpartition("_")[0]]  # a trade has a picture for all its materials
    return group_at(x, y, *shapes(found), scale=scale, classes=["pic"])


def icon(name: str) -> svg.G:
    return svg.G(class_=["ic"], elements=shapes(ICONS[name]))


def walker(name: str) -> svg.G:
    return svg.G(class_=["walker", name], elements=[*shapes(WALKERS[name]), label(name[0].upper(), 0, -4)])


def mark(seat: int, x: float = 0, y: float = 0, scale: float = 1) -> svg.Use:
    return use(f"mark-{seat}", x, y, scale)


def brand(seat: int, x: float, y: float, scale: float) -> svg.Path:
    """Return the mark of a seat in the colour of paper, on the colour of the seat."""
    found = shape(MARKS[seat], "brand")
    found.transform = [svg.Translate(x, y), svg.Scale(scale)]
    return found


def pawn(seat: int) -> svg.G:
    found: list[svg.Element] = [shape(BODY, "body"), brand(seat, 0, -8.5, 0.5)]
    return svg.G(class_=["pawn", f"by-{seat}"], elements=found)


def pennant(seat: int) -> svg.G:
    found: list[svg.Element] = [shape("M-10-2H10V14L0 20-10 14Z", f"of-{seat}"), brand(seat, 0, 7, 0.62)]
    return svg.G(class_=["seal"], elements=found)


def worker(seat: int, x: float = 0, y: float = 0, far: bool = False, scale: float = 1) -> svg.Use:
    """Return a worker, who is hollow if the provost does not come so far."""
    return use(f"worker-{seat}", x, y, scale, "worker", *(["beyond", f"by-{seat}"] if far else []))


def material(drawn: Shapes) -> svg.G:
    return svg.G(class_=["mat"], elements=shapes(drawn))


@cached_drawing
def symbols() -> svg.Defs:
    """Return the definitions of all that boards show by `use`."""
    lone = {"milestone": MILESTONE, "sign": SIGN, "cell": CELL, "shut": CELL}
    found: list[svg.Element] = [svg.Path(id=name, class_=[name], d=path(d)) for name, d in lone.items()]
    found.append(svg.Circle(id="spot", class_=["spot"], r=12))
    groups = {"gap": material(GAP), "plot": material(PLOT), "window": material(WINDOW)}
    groups |= {name: walker(name) for name in WALKERS} | {f"i-{name}": icon(name) for name in ICONS}
    for kind in CLASSES:
        first, *rest = GROUNDS[kind]
        ground = [*shapes((first, SHADE, *rest)), use("window")]
        groups[f"ground-{kind}"] = svg.G(class_=["mat"], elements=ground)
        groups[f"band-{kind}"] = material(BANDS[kind])
    for seat in range(SEATS):
        found.append(svg.Path(id=f"mark-{seat}", class_=["mark", f"of-{seat}"], d=path(MARKS[seat])))
        house: list[svg.Element] = [shape(BLOCK, "block", f"of-{seat}"), brand(seat, 12.5, 9, 0.66)]
        groups |= {f"worker-{seat}": pawn(seat), f"owner-{seat}": pennant(seat), f"house-{seat}": svg.G(elements=house)}
    for name, drawn in groups.items():
        drawn.id = name
    return svg.Defs(elements=[*found, *groups.values()])
