"""Write the demo tasks: eight invented studies in DB-SYNTH's form, each with one planted relationship.

Run `python scripts/generate_demo.py`; a second run writes the same bytes. Every number that a gold hypothesis
states is checked against the data before anything is written.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "src" / "inspect_discoverybench" / "dataset" / "demo"
SEED = 20240701


@dataclass(frozen=True)
class Study:
    """One invented study.

    Attributes:
        folder: Folder name without its `_0_0`.
        domain: Field of the study.
        description: What the data file records.
        columns: Description of each column, in the file's order.
        question: The goal.
        hypothesis: The gold hypothesis.
        expression: The planted relationship, as DB-SYNTH writes it.
        target: Column to explain.
        relevant: Columns the gold hypothesis is about.
        difficulty: 1 to 4.
        build: Draws the rows.
        check: Returns (value in the data, value in the gold hypothesis, tolerance) for every number stated.
    """

    folder: str
    domain: str
    description: str
    columns: dict[str, str]
    question: str
    hypothesis: str
    expression: str
    target: str
    relevant: tuple[str, ...]
    difficulty: int
    build: Callable[[np.random.Generator], pd.DataFrame]
    check: Callable[[pd.DataFrame], list[tuple[float, float, float]]]


def fit(table: pd.DataFrame, target: str, *terms: pd.Series) -> np.ndarray:
    """Least-squares coefficients of the complete rows: intercept first."""
    whole = pd.concat([table[target].rename("y"), *(term.rename(f"x{i}") for i, term in enumerate(terms))], axis=1)
    whole = whole.astype(float).dropna()
    design = np.column_stack([np.ones(len(whole)), whole.drop(columns="y").to_numpy()])
    coefficients: np.ndarray = np.linalg.lstsq(design, whole["y"].to_numpy(), rcond=None)[0]
    return coefficients


def with_gaps(rng: np.random.Generator, table: pd.DataFrame, share: float, *columns: str) -> pd.DataFrame:
    """Blank a share of the cells of some columns."""
    for column in columns:
        table[column] = table[column].astype("object").where(rng.random(len(table)) >= share)
    return table


def choice(rng: np.random.Generator, rows: int, *levels: str) -> np.ndarray:
    """Levels drawn with equal chances."""
    return np.array(levels, dtype=object)[rng.integers(0, len(levels), rows)]


def _build_apiaries(rng: np.random.Generator) -> pd.DataFrame:
    rows = 240
    hectares = rng.uniform(2, 20, rows).round(1)
    table = pd.DataFrame(
        {
            "hive_age_years": rng.integers(1, 9, rows),
            "hive_paint_colour": choice(rng, rows, "white", "blue", "green"),
            "flowering_hectares": hectares,
            "distance_to_road_m": rng.integers(20, 900, rows),
            "queen_breed": choice(rng, rows, "carniolan", "buckfast", "italian"),
            "spring_inspections": rng.integers(1, 7, rows),
            "honey_yield_kg": (6 + 1.8 * hectares + rng.normal(0, 3, rows)).round(1),
        }
    )
    return with_gaps(rng, table, 0.03, "hive_age_years", "flowering_hectares", "honey_yield_kg")


def _check_apiaries(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    return [(fit(table, "honey_yield_kg", table["flowering_hectares"])[1], 1.8, 0.05)]


def _build_glazes(rng: np.random.Generator) -> pd.DataFrame:
    rows = 220
    degrees = rng.integers(1000, 1301, rows)
    table = pd.DataFrame(
        {
            "kiln": choice(rng, rows, "north", "south"),
            "firing_temperature_c": degrees,
            "clay_batch": rng.integers(1, 12, rows),
            "glaze_thickness_mm": rng.uniform(0.4, 1.6, rows).round(2),
            "drying_days": rng.integers(2, 15, rows),
            "breaking_strength_mpa": (70 - 0.0016 * (degrees - 1160) ** 2 + rng.normal(0, 4, rows)).round(1),
        }
    )
    return with_gaps(rng, table, 0.03, "glaze_thickness_mm", "drying_days", "breaking_strength_mpa")


def _check_glazes(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    degrees = table["firing_temperature_c"] - 1160.0
    _, linear, squared = fit(table, "breaking_strength_mpa", degrees, degrees**2)
    return [(squared, -0.0016, 0.00005), (1160 - linear / (2 * squared), 1160, 5)]


def _build_libraries(rng: np.random.Generator) -> pd.DataFrame:
    rows = 250
    reservations, copies = rng.integers(4, 61, rows), rng.integers(2, 13, rows)
    table = pd.DataFrame(
        {
            "title_length_words": rng.integers(1, 12, rows),
            "shelf": choice(rng, rows, "fiction", "history", "science", "travel"),
            "copies": copies,
            "pages": rng.integers(80, 700, rows),
            "reservations": reservations,
            "hardback": rng.random(rows) < 0.4,
            "publication_age_years": rng.integers(0, 30, rows),
            "waiting_days": (3 + 4 * reservations / copies + rng.normal(0, 2, rows)).round(1),
        }
    )
    return with_gaps(rng, table, 0.03, "pages", "reservations", "waiting_days")


def _check_libraries(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    return [(fit(table, "waiting_days", table["reservations"] / table["copies"])[1], 4.0, 0.1)]


def _build_ferries(rng: np.random.Generator) -> pd.DataFrame:
    rows = 260
    thruster = rng.random(rows) < 0.45
    table = pd.DataFrame(
        {
            "crossing_number": np.arange(1, rows + 1),
            "passengers": rng.integers(20, 420, rows),
            "wave_height_m": rng.uniform(0.1, 2.4, rows).round(1),
            "bow_thruster": np.where(thruster, "yes", "no"),
            "captain_years": rng.integers(1, 31, rows),
            "hull_colour": choice(rng, rows, "red", "white", "navy"),
            "docking_minutes": (14.5 - 5 * thruster + rng.normal(0, 2.5, rows)).round(1),
        }
    )
    return with_gaps(rng, table, 0.04, "wave_height_m", "bow_thruster", "docking_minutes")


def _check_ferries(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    means = (
        table.assign(docking_minutes=table["docking_minutes"].astype(float))
        .groupby("bow_thruster")["docking_minutes"]
        .mean()
    )
    return [(means["yes"], 9.5, 0.25), (means["no"], 14.5, 0.25), (means["no"] - means["yes"], 5.0, 0.25)]


def _build_trees(rng: np.random.Generator) -> pd.DataFrame:
    rows = 280
    salinity = rng.uniform(0.5, 8, rows).round(2)
    table = pd.DataFrame(
        {
            "tree_id": np.arange(1001, 1001 + rows),
            "species": choice(rng, rows, "lime", "plane", "rowan"),
            "soil_salinity_ds_m": salinity,
            "pit_depth_cm": rng.integers(60, 161, rows),
            "traffic_per_hour": rng.integers(10, 900, rows),
            "guard_fitted": rng.random(rows) < 0.5,
            "shoot_growth_cm": (np.where(salinity > 4, 12, 24) + rng.normal(0, 3, rows)).round(1),
        }
    )
    return with_gaps(rng, table, 0.03, "pit_depth_cm", "soil_salinity_ds_m", "shoot_growth_cm")


def _check_trees(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    salinity, growth = table["soil_salinity_ds_m"].astype(float), table["shoot_growth_cm"].astype(float)
    return [(growth[salinity > 4].mean(), 12, 0.5), (growth[salinity <= 4].mean(), 24, 0.5)]


def _build_rivers(rng: np.random.Generator) -> pd.DataFrame:
    year = np.repeat(np.arange(1940, 2020), 3)
    rows = len(year)
    gauge = np.tile(np.array(["upper", "middle", "lower"], dtype=object), rows // 3)
    table = pd.DataFrame(
        {
            "year": year,
            "gauge": gauge,
            "autumn_rain_mm": rng.integers(90, 320, rows),
            "observer": choice(rng, rows, "A", "B", "C", "D"),
            "snow_depth_cm": rng.integers(10, 90, rows),
            "ice_breakup_day": (120 - 0.2 * (year - 1940) + rng.normal(0, 4, rows)).round(0),
        }
    )
    return with_gaps(rng, table, 0.04, "autumn_rain_mm", "snow_depth_cm", "ice_breakup_day")


def _check_rivers(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    return [(fit(table, "ice_breakup_day", table["year"])[1], -0.2, 0.015)]


def _build_bakeries(rng: np.random.Generator) -> pd.DataFrame:
    rows = 240
    hours, hydration = rng.uniform(1, 12, rows).round(1), rng.integers(58, 83, rows)
    volume = 900 + 10 * hours + 4 * (hydration - 70) + 2 * hours * (hydration - 70)
    table = pd.DataFrame(
        {
            "loaf_number": np.arange(1, rows + 1),
            "flour": choice(rng, rows, "wheat", "spelt", "rye blend"),
            "proofing_hours": hours,
            "hydration_percent": hydration,
            "salt_percent": rng.uniform(1.6, 2.4, rows).round(2),
            "oven": choice(rng, rows, "deck", "stone"),
            "room_humidity_percent": rng.integers(35, 75, rows),
            "loaf_volume_ml": (volume + rng.normal(0, 25, rows)).round(0),
        }
    )
    return with_gaps(rng, table, 0.03, "salt_percent", "proofing_hours", "loaf_volume_ml")


def _check_bakeries(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    hours, wet = table["proofing_hours"].astype(float), table["hydration_percent"].astype(float) - 70
    _, at_70, _, product = fit(table, "loaf_volume_ml", hours, wet, hours * wet)
    return [(at_70, 10, 1.0), (product, 2.0, 0.1)]


def _build_dispatch(rng: np.random.Generator) -> pd.DataFrame:
    rows = 300
    hours, night = rng.uniform(0, 6, rows).round(1), rng.random(rows) < 0.4
    table = pd.DataFrame(
        {
            "age_years": rng.integers(21, 62, rows),
            "shift": np.where(night, "night", "day"),
            "bright_light_hours": hours,
            "coffee_cups": rng.integers(0, 6, rows),
            "commute_minutes": rng.integers(5, 75, rows),
            "desk_side": choice(rng, rows, "left", "right"),
            "team": choice(rng, rows, "east", "west", "harbour"),
            "reaction_ms": (330 - 9 * hours * night + rng.normal(0, 11, rows)).round(0),
        }
    )
    return with_gaps(rng, table, 0.03, "coffee_cups", "bright_light_hours", "reaction_ms")


def _check_dispatch(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    night, day = (table[table["shift"] == shift] for shift in ("night", "day"))
    slope_night, slope_day = (fit(part, "reaction_ms", part["bright_light_hours"])[1] for part in (night, day))
    return [(slope_night, -9.0, 0.5), (slope_day, 0.0, 1.0)]


STUDIES = (
    Study(
        folder="beekeeping",
        domain="beekeeping",
        description="Records of hives in the lowland apiaries of the invented Alder Valley over one season.",
        columns={
            "hive_age_years": "Age of the hive in years",
            "hive_paint_colour": "Colour the hive box is painted in",
            "flowering_hectares": "Area of flowering meadow within one kilometre of the hive, in hectares",
            "distance_to_road_m": "Distance from the hive to the nearest road, in metres",
            "queen_breed": "Breed of the queen",
            "spring_inspections": "Number of inspections by the keeper in spring",
            "honey_yield_kg": "Honey harvested from the hive in the season, in kilograms",
        },
        question=("Among the hives of the Alder Valley, how does the flowering area nearby affect the honey yield?"),
        hypothesis=(
            "Among the hives of the Alder Valley, the honey yield increases linearly with the flowering "
            "hectares nearby, by about 1.8 kg for each additional hectare."
        ),
        expression="6 + 1.8 * df['flowering_hectares']",
        target="honey_yield_kg",
        relevant=("flowering_hectares", "honey_yield_kg"),
        difficulty=1,
        build=_build_apiaries,
        check=_check_apiaries,
    ),
    Study(
        folder="stoneware-ceramics",
        domain="stoneware ceramics",
        description="Test tiles fired in two workshop kilns and broken on a bending rig.",
        columns={
            "kiln": "Kiln the tile was fired in",
            "firing_temperature_c": "Peak firing temperature in degrees Celsius",
            "clay_batch": "Number of the clay batch",
            "glaze_thickness_mm": "Thickness of the glaze in millimetres",
            "drying_days": "Days of drying before the firing",
            "breaking_strength_mpa": "Bending stress at which the tile broke, in megapascals",
        },
        question=("Among the stoneware tiles, how does the breaking strength depend on the firing temperature?"),
        hypothesis=(
            "Among the stoneware tiles, the breaking strength depends on the firing temperature in a "
            "quadratic way: it increases up to a maximum at about 1160 °C and decreases beyond it "
            "(coefficient of the square about -0.0016)."
        ),
        expression="70 - 0.0016 * (df['firing_temperature_c'] - 1160)**2",
        target="breaking_strength_mpa",
        relevant=("firing_temperature_c", "breaking_strength_mpa"),
        difficulty=2,
        build=_build_glazes,
        check=_check_glazes,
    ),
    Study(
        folder="library-lending",
        domain="library lending",
        description="Reserved titles in the catalogue of an invented town library, one row for each title.",
        columns={
            "title_length_words": "Number of words in the title",
            "shelf": "Shelf the title stands on",
            "copies": "Number of copies that the library owns",
            "pages": "Number of pages",
            "reservations": "Number of reservations in the queue",
            "hardback": "Whether the title is a hardback, recorded as true or false",
            "publication_age_years": "Years since publication",
            "waiting_days": "Days a reader waits for the title",
        },
        question=("Among the reserved titles, how do reservations and copies together determine the waiting days?"),
        hypothesis=(
            "Among the reserved titles, the waiting days increase linearly with the ratio of reservations "
            "to copies, by about 4 days per unit of the ratio."
        ),
        expression="3 + 4 * df['reservations'] / df['copies']",
        target="waiting_days",
        relevant=("reservations", "copies", "waiting_days"),
        difficulty=2,
        build=_build_libraries,
        check=_check_libraries,
    ),
    Study(
        folder="ferry-operations",
        domain="ferry operations",
        description="Log of crossings of an invented island ferry line in summer.",
        columns={
            "crossing_number": "Running number of the crossing",
            "passengers": "Passengers on board",
            "wave_height_m": "Wave height at the pier, in metres",
            "bow_thruster": "Whether the ship has a bow thruster, yes or no",
            "captain_years": "Years the captain has served",
            "hull_colour": "Colour of the hull",
            "docking_minutes": "Minutes from entering the harbour to being moored",
        },
        question=("On the summer crossings, do docking minutes differ between ships with and without a bow thruster?"),
        hypothesis=(
            "On the summer crossings, docking takes about 5 minutes less for ships with a bow thruster "
            "(mean 9.5 minutes) than for ships without a bow thruster (mean 14.5 minutes)."
        ),
        expression="np.where(df['bow_thruster'] == 'yes', 9.5, 14.5)",
        target="docking_minutes",
        relevant=("bow_thruster", "docking_minutes"),
        difficulty=1,
        build=_build_ferries,
        check=_check_ferries,
    ),
    Study(
        folder="street-trees",
        domain="street trees",
        description=("Young street trees of an invented city, measured once in the third summer after planting."),
        columns={
            "tree_id": "Number of the tree",
            "species": "Species of the tree",
            "soil_salinity_ds_m": "Salinity of the soil in decisiemens per metre",
            "pit_depth_cm": "Depth of the planting pit in centimetres",
            "traffic_per_hour": "Vehicles passing per hour",
            "guard_fitted": "Whether a trunk guard is fitted, recorded as true or false",
            "shoot_growth_cm": "Growth of the leading shoot in the season, in centimetres",
        },
        question="In what form does shoot growth depend on soil salinity?",
        hypothesis=(
            "Among young street trees, shoot growth drops at a soil salinity threshold of about 4 dS/m: "
            "above it the mean growth is about 12 cm, lower than the mean of about 24 cm below it."
        ),
        expression="np.where(df['soil_salinity_ds_m'] > 4, 12, 24)",
        target="shoot_growth_cm",
        relevant=("soil_salinity_ds_m", "shoot_growth_cm"),
        difficulty=3,
        build=_build_trees,
        check=_check_trees,
    ),
    Study(
        folder="river-ice",
        domain="river ice",
        description=(
            "Spring break-up of the ice at three gauges of the invented Saltmarsh River, one row for each "
            "gauge and year."
        ),
        columns={
            "year": "Year of the observation",
            "gauge": "Gauge on the river",
            "autumn_rain_mm": "Rain in the autumn before, in millimetres",
            "observer": "Letter of the observer",
            "snow_depth_cm": "Snow depth in late winter, in centimetres",
            "ice_breakup_day": "Day of the year on which the ice broke up",
        },
        question="From 1940 to 2019, how did the day of ice breakup change over the years?",
        hypothesis=(
            "From 1940 to 2019, the day of ice breakup on the river moved earlier over the years: it "
            "decreased linearly by about 0.2 days per year."
        ),
        expression="120 - 0.2 * (df['year'] - 1940)",
        target="ice_breakup_day",
        relevant=("year", "ice_breakup_day"),
        difficulty=1,
        build=_build_rivers,
        check=_check_rivers,
    ),
    Study(
        folder="artisan-bakeries",
        domain="artisan bakeries",
        description="Test loaves from three invented bakeries, weighed in at the same mass of dough.",
        columns={
            "loaf_number": "Running number of the loaf",
            "flour": "Kind of flour",
            "proofing_hours": "Hours of proofing before baking",
            "hydration_percent": "Water in percent of the flour's mass",
            "salt_percent": "Salt in percent of the flour's mass",
            "oven": "Kind of oven",
            "room_humidity_percent": "Relative humidity of the room in percent",
            "loaf_volume_ml": "Volume of the baked loaf in millilitres",
        },
        question=("Among the test loaves, how do proofing hours and hydration together affect the loaf volume?"),
        hypothesis=(
            "Among the test loaves, proofing hours and hydration interact in their effect on the loaf "
            "volume: it increases with the proofing hours, by about 10 ml per hour at 70 percent "
            "hydration, and each further percent of hydration adds about 2 ml to the effect of an hour."
        ),
        expression=(
            "900 + 10 * df['proofing_hours'] + (4 + 2 * df['proofing_hours']) * (df['hydration_percent'] - 70)"
        ),
        target="loaf_volume_ml",
        relevant=("proofing_hours", "hydration_percent", "loaf_volume_ml"),
        difficulty=3,
        build=_build_bakeries,
        check=_check_bakeries,
    ),
    Study(
        folder="emergency-dispatch",
        domain="emergency dispatch",
        description="Dispatchers of an invented control room, tested once at the end of a shift.",
        columns={
            "age_years": "Age of the dispatcher in years",
            "shift": "Shift worked, day or night",
            "bright_light_hours": "Hours under bright light during the shift",
            "coffee_cups": "Cups of coffee during the shift",
            "commute_minutes": "Minutes of commute",
            "desk_side": "Side of the room the desk stands on",
            "team": "Team of the dispatcher",
            "reaction_ms": "Reaction time at the end of the shift, in milliseconds",
        },
        question=("How do the hours under bright light affect the reaction time of dispatchers, and on which shift?"),
        hypothesis=(
            "Only among dispatchers on the night shift, the reaction time decreases with the hours under "
            "bright light, by about 9 ms for each additional hour; on the day shift there is no "
            "significant effect."
        ),
        expression="330 - 9 * df['bright_light_hours'] * (df['shift'] == 'night')",
        target="reaction_ms",
        relevant=("shift", "bright_light_hours", "reaction_ms"),
        difficulty=4,
        build=_build_dispatch,
        check=_check_dispatch,
    ),
)


def metadata(study: Study, query_id: int) -> dict[str, Any]:
    """The metadata file of one study."""
    return {
        "id": 0,
        "domain": study.domain,
        "datasets": [
            {
                "name": "data.csv",
                "description": study.description,
                "columns": [{"name": name, "description": about} for name, about in study.columns.items()],
            }
        ],
        "queries": [
            {
                "qid": query_id,
                "question": study.question,
                "question_type": "general",
                "difficulty": study.difficulty,
                "target_col": study.target,
                "true_hypothesis": study.hypothesis,
                "true_hypothesis_expr": study.expression,
                "relevant_cols": list(study.relevant),
            }
        ],
    }


def draw(study: Study, number: int) -> pd.DataFrame:
    """Draw the rows of one study.

    Raises:
        ValueError: The rows do not support a number of the gold hypothesis.
    """
    table = study.build(np.random.default_rng([SEED, number]))
    if list(table.columns) != list(study.columns):
        raise ValueError(f"{study.folder}: columns {list(table.columns)} are not the described {list(study.columns)}")
    for found, stated, tolerance in study.check(table):
        if abs(found - stated) > tolerance:
            raise ValueError(
                f"{study.folder}: the data say {found:.5g}, the gold hypothesis {stated:.5g} ± {tolerance:.2g}"
            )
    return table


def write(study: Study, number: int, table: pd.DataFrame, folder: Path) -> None:
    """Write data and metadata of one study; bytes, since text mode would change line ends on Windows."""
    home = folder / f"{study.folder}_0_0"
    home.mkdir(parents=True, exist_ok=True)
    (home / "data.csv").write_bytes(table.to_csv(index=False, lineterminator="\n").encode())
    text = json.dumps(metadata(study, number), indent=4, ensure_ascii=False) + "\n"
    (home / "metadata_0.json").write_bytes(text.encode())


def main() -> None:
    """Draw and check every study, then write them below a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to (default: the package's own)")
    folder: Path = parser.parse_args().out
    tables = [draw(study, number) for number, study in enumerate(STUDIES)]
    for number, (study, table) in enumerate(zip(STUDIES, tables, strict=True)):
        write(study, number, table, folder)


if __name__ == "__main__":
    main()
