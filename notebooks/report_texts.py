"""The words of the sample report and of the questionnaire; make_kb.py sets them."""

SUMMARY = """Abstract. Twelve street segments in the old town of Qingtong were observed from 15 June to 5 September \
2025 with thirty-six air temperature loggers. On 23 hot days the four segments with more than 70 % canopy cover were \
1.8 °C cooler in the afternoon (14:00-16:00) than the three with less than 20 %. At 04:00 they were 0.3 °C warmer."""
ZH_SUMMARY = """摘要：2025 年夏季在青桐市老城十二个路段观测气温。热日 14:00–16:00，密冠路段比疏冠路段低 1.8 °C；\
凌晨 4:00 反而高 0.3 °C。树冠覆盖率每增加 10 个百分点，午后气温降低 0.28 °C。"""
COLUMNS = (
    (
        "1 Question",
        "How much do street trees cool the air of a street, at which hour, and how fast does hard pruning take the "
        "effect away? The city wants a number that it can plan with, not one more picture of a thermal camera.",
        "2 Methods",
        "Three loggers a segment hang at 2.5 m on lamp posts. The value of a segment is the median of its loggers. "
        "Canopy cover comes from fisheye photos taken at dawn in June. A hot day is a day on which the station of "
        "Qingtong reaches 35 °C. The model is linear with segment and day as random effects; it was written down "
        "before the season ended and was not changed.",
        "The loggers of S12 read 0.9 °C too warm in the afternoon until 12 August because their radiation screens were "
        "cracked. A week of parallel measurement gave the correction. All numbers here are corrected.",
    ),
    (
        "3 Results",
        "Each ten percentage points of canopy cover cooled the afternoon air by 0.28 °C (95 % interval 0.22 to 0.34). "
        "Species made no difference once canopy cover was known. With wind above 4 m/s the difference between the "
        "groups fell from 1.8 to 0.9 °C.",
        "Shade took 18 °C from the mean radiant temperature at noon, ten times what it took from the air. People feel "
        "the radiation first; the air temperature tells the smaller half of the story.",
        "4 Pruning",
        "Heping Road lost 43 points of canopy cover to a single pruning in February and with them 1.1 °C of cooling. "
        "By September the cover had come back to 52 %.",
    ),
    (
        "5 Night",
        "Under dense canopy the street was 0.3 °C warmer at 04:00, and 0.5 °C warmer on the nine calm nights. The cost "
        "is about a sixth of the gain by day.",
        "6 Limits",
        "One summer, one town, twelve segments that were chosen and not drawn. Height and distance of the buildings "
        "differ between the groups, and we cannot separate them from the trees with so few streets.",
    ),
    (
        "7 What the city can do",
        "Keep the planes and thin them every year by at most 15 % instead of topping them. Insulate the cables. Make "
        "new pits at least 1.5 m by 1.5 m and join them under the pavement. Water by soil moisture: below 14 % by "
        "volume, 150 litres a tree, twice a week.",
        "Next summer",
        "The same segments, with anemometers on six of them, to see how much of the night effect is wind.",
    ),
)
AGES = (("18–34 岁", 121, "71%", "66%"), ("35–59 岁", 174, "79%", "62%"), ("60 岁及以上", 117, "84%", "54%"))
