//! `threshr features`.

use crate::support::{demo_page, failure, output, sample, threshr};

/// Returns the values of a CSV column.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().expect("a header").iter().position(|column| column == name).expect(name);
    reader.records().map(|record| record.expect("a record")[at].to_owned()).collect()
}

#[test]
fn the_list_names_every_column_of_the_registry() {
    let list = output(threshr().args(["features", "list"]));
    let short = list.lines().find(|l| l.starts_with("shallow.num_chars"));
    assert!(
        short.is_some_and(|l| l.ends_with("number of characters [Kohlschütter et al., WSDM 2010]")),
        "{short:?}"
    );
    for family in threshr_features::REGISTRY {
        for column in family.columns() {
            assert!(list.contains(&format!("{}.{}", family.name(), column.name)));
        }
    }
    assert!(
        output(threshr().args(["features", "list", "--format", "markdown"])).starts_with("| name | unit |")
    );
    assert!(output(threshr().args(["features", "list", "--format", "csv"])).starts_with("name,unit,"));
    let stderr = failure(threshr().args(["features", "list", "--features", "shallow"]), 2);
    assert!(stderr.contains("takes only --format and --out"), "{stderr}");
    let some = output(threshr().args([
        "features",
        "list",
        "edge",
        "position.is_headline",
        "victor",
        "--format",
        "csv",
    ]));
    let names: Vec<&str> = some.lines().skip(1).filter_map(|l| l.split(',').next()).collect();
    assert!(names.contains(&"position.is_headline") && names.contains(&"victor"), "{names:?}");
    assert!(
        names.len() > 2 && names.iter().filter(|n| n.starts_with("edge.")).count() == names.len() - 2,
        "{names:?}"
    );
    let of = |set: &str| output(threshr().args(["features", "list", set, "--format", "csv"]));
    let names =
        |csv: &str| csv.lines().skip(1).map(|l| l.split(',').next().map(str::to_owned)).collect::<Vec<_>>();
    let (edge, both, less) = (names(&of("edge")), names(&of("edge+cetr@1")), names(&of("edge+cetr,-edge")));
    assert_eq!(both, [edge, less.clone()].concat());
    assert!(!less.is_empty() && less.iter().flatten().all(|n| n.starts_with("cetr.")), "{less:?}");
    let stderr = failure(threshr().args(["features", "list", "all,-shadow"]), 2);
    assert!(stderr.contains("unknown feature family or set `shadow`"), "{stderr}");
    let stderr = failure(threshr().args(["features", "list", "shadow"]), 2);
    assert!(
        stderr.contains("no feature, family or set `shadow`") && stderr.contains("`shallow`"),
        "{stderr}"
    );
    // a column name without its family, or with a typing error
    let stderr = failure(threshr().args(["features", "list", "is_hedline"]), 2);
    assert!(stderr.contains("expected `position.is_headline`, "), "{stderr}");
    let stderr = failure(threshr().args(["features", "list", "xyzzy"]), 2);
    assert!(stderr.contains("expected a name that"), "{stderr}");
    assert!(output(threshr().args(["features", "list", "--format", "json"])).starts_with("{\"name\":"));
}

#[test]
fn csv_and_json_hold_blocks_labels_and_values() {
    let csv = output(
        threshr().args(["features", "--features", "shallow+density", "--neighbours", "1"]).arg(sample()),
    );
    let (labels, texts) = (column(&csv, "label"), column(&csv, "text"));
    assert!(labels.len() > 1000 && labels.iter().all(|label| matches!(&**label, "0" | "1")));
    assert!(texts.iter().all(|text| !text.is_empty()));
    assert!(column(&csv, "density.link_density@-1").iter().all(|value| value.parse::<f32>().is_ok()));
    let plain =
        output(threshr().args(["features", "--features", "position", "--format", "json"]).arg(demo_page()));
    let first: serde_json::Value = serde_json::from_str(plain.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["label"], serde_json::Value::Null);
    assert_eq!(first["features"]["position.index"], 0.0);
    assert!(failure(threshr().args(["features", "--features", "nope"]).arg(demo_page()), 2).contains("nope"));
}

#[test]
fn annotated_folders_are_known_and_their_marks_gone() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(
        dir.path().join("1.html"),
        "<p><span class='x-nc-sel0'>Menu</span><p><span class='x-nc-sel2'>Body text</span>",
    )
    .expect("written");
    let csv = output(threshr().args(["features", "--features", "container"]).arg(dir.path()));
    assert_eq!(column(&csv, "label"), ["0", "1"]);
    assert_eq!(column(&csv, "container.in_span"), ["0", "0"]);
}

#[test]
fn a_geometry_file_beside_the_page_gives_visual_columns() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("1.html");
    let geometry = dir.path().join("1.geometry.json");
    std::fs::write(&page, "<p>One</p><p>Two</p>").expect("written");
    let run = || {
        let csv = output(threshr().args(["features", "--features", "visual"]).arg(&page));
        column(&csv, "visual.width")
    };
    assert_eq!(run(), ["0", "0"]);
    let boxes = r#"{"/html/body/p[1]": [0, 0, 100, 20], "/html/body/p[2]": [0, 20, 400, 20]}"#;
    let file = |boxes: &str| format!(r#"{{"format": "threshr-geometry", "version": 1, "boxes": {boxes}}}"#);
    std::fs::write(&geometry, file(boxes)).expect("written");
    assert_eq!(run(), ["0.25", "1"]);
    std::fs::write(&geometry, file("3")).expect("written");
    for args in [&["features", "--features", "visual"][..], &["predict"]] {
        assert!(failure(threshr().args(args).arg(&page), 2).contains("1.geometry.json"));
    }
}
