//! `threshr train`, for every classifier.

use crate::support::{edit_gold, failure, output, sample, threshr, toy_set};

#[test]
fn every_classifier_trains_twice_to_the_same_bytes_and_predicts() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 12);
    for classifier in threshr::registries().classifiers.all() {
        let train = |name: &str| {
            let out = dir.path().join(name);
            output(
                threshr()
                    .args([
                        "train",
                        "--force",
                        "--seed",
                        "3",
                        "--classifier",
                        classifier.name(),
                        "--features",
                        "shallow+density+container",
                        "--data",
                    ])
                    .arg(&set)
                    .arg("--out")
                    .arg(&out),
            );
            std::fs::read(&out).expect("read")
        };
        assert!(train("a.json") == train("b.json"), "{} is not deterministic", classifier.name());
        let text = output(
            threshr()
                .arg("predict")
                .arg(set.join("pages/3.html"))
                .arg("--model")
                .arg(dir.path().join("a.json")),
        );
        if classifier.name() != "majority" {
            assert!(
                text.contains("Paragraph 0 of story 3") && !text.contains("Contact us"),
                "{}: {text}",
                classifier.name()
            );
        }
        let shown = output(threshr().args(["model", "show"]).arg(dir.path().join("a.json")));
        assert!(shown.contains(classifier.name()) && shown.contains("sha256"), "{shown}");
    }
}

#[test]
fn a_recipe_or_a_model_rebuilds_the_model() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 8);
    let [a, b, c, recipe] = ["a.json", "b.json", "c.json", "r.toml"].map(|n| dir.path().join(n));
    output(
        threshr()
            .args(["train", "--seed", "5", "--param", "max_depth=3", "--neighbours", "none", "--data"])
            .arg(&set)
            .arg("--out")
            .arg(&a),
    );
    let toml = output(threshr().args(["model", "show", "--recipe"]).arg(&a));
    assert!(toml.contains("max_depth = 3") && toml.contains("seed = 5"), "{toml}");
    std::fs::write(&recipe, toml).expect("written");
    output(threshr().args(["train", "--recipe"]).arg(&recipe).arg("--data").arg(&set).arg("--out").arg(&b));
    output(threshr().args(["train", "--recipe"]).arg(&a).arg("--data").arg(&set).arg("--out").arg(&c));
    let read = |p| std::fs::read(p).expect("read");
    assert!(read(&a) == read(&b) && read(&a) == read(&c));
}

#[test]
fn what_is_not_said_of_the_data_is_remarked() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 8);
    edit_gold(&set, |lines| lines.replacen("\"gold\":", "\"goldd\":", 1));
    let stderr = |recipe: &str| {
        let file = dir.path().join("r.toml");
        std::fs::write(&file, recipe).expect("written");
        let mut command = threshr();
        command.args(["train", "--force", "--out"]).arg(dir.path().join("m.json")).arg("--recipe").arg(&file);
        let out = command.arg("--data").arg(&set).assert().success().get_output().stderr.clone();
        String::from_utf8(out).expect("UTF-8")
    };
    assert!(stderr("seed = 1\n").contains("1 of 8 pages have no gold"));
    assert!(!stderr("seed = 1\n").contains("no policy"));
    let other = stderr("[policy.sets]\ntoys = \"article\"\n");
    assert!(other.contains("no policy is set for toy; `main` is used"), "{other}");
    assert!(!stderr("[policy.sets]\ntoy = \"article\"\n").contains("no policy"));
}

#[test]
fn what_cannot_be_trained_is_an_error_that_says_why() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    let out = dir.path().join("m.json");
    let fail = |args: &[&str]| failure(threshr().args(["train", "--out"]).arg(&out).args(args), 2);
    let data = set.to_str().expect("UTF-8");
    for (args, part) in [
        (vec!["--data", data, "--features", "nonsense"], "unknown feature family or set `nonsense`"),
        (vec!["--data", data, "--classifier", "oracle"], "one of tree"),
        (vec!["--data", data, "--param", "max_dept=3"], "max_dept"),
        (vec!["--data", data, "--param", "max_depth"], "KEY=VALUE"),
        (vec!["--data", "src"], "not a known format"),
        (vec!["--data", "nowhere"], "no such file or folder"),
    ] {
        let error = fail(&args);
        assert!(error.contains(part), "{args:?}: {error}");
    }
    // gold of other pages, so that no block is content
    let gold = std::fs::read_to_string(set.join("gold.jsonl"))
        .expect("read")
        .replace("Paragraph", "Xyz")
        .replace("story", "q");
    std::fs::write(
        set.join("gold.jsonl"),
        gold.replace("tells", "w").replace("words", "v").replace("happened", "u"),
    )
    .expect("written");
    std::fs::write(set.join("gold.jsonl"), "{\"id\": 0, \"gold\": \"zzz\"}\n").expect("written");
    assert!(fail(&["--data", data]).contains("expected"));
    std::fs::write(set.join("gold.jsonl"), "{\"id\": 0, \"gold\": 3}\n").expect("written");
    assert!(fail(&["--data", data]).contains("gold.jsonl:1"));
    assert!(!out.exists());
}

/// Replaces the gold of every second page by snippets. If `all` is true, replaces the gold of every page.
fn with_snippets(set: &std::path::Path, all: bool) {
    edit_gold(set, |lines| {
        let line = |(i, line): (usize, &str)| {
            let mut page: serde_json::Value = serde_json::from_str(line).expect("JSON");
            if all || i % 2 == 1 {
                page["gold"] = serde_json::Value::Null;
                page["with"] = serde_json::json!([format!("Paragraph 1 of story {i} tells")]);
                page["without"] = serde_json::json!(["Contact us", "News"]);
            }
            page.to_string()
        };
        lines.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn snippets_label_pages_without_gold() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 12);
    let out = dir.path().join("m.json");
    let args = ["train", "--classifier", "tree", "--features", "shallow+density", "--data"];
    let train = || {
        let mut command = threshr();
        command.args(args).arg(&set).arg("--force").arg("--out").arg(&out);
        command
    };
    with_snippets(&set, false);
    let told = failure(&mut train(), 0);
    assert!(told.contains("6 of 12 pages have no gold but snippets"), "{told}");
    assert!(told.contains("tree on 12 pages"), "{told}");
    // the decision rule can be trained only on pages with complete gold
    with_snippets(&set, true);
    assert!(failure(&mut train(), 2).contains("no page to train on"));
    let evaluate = |metric: &str, code: i32| {
        let mut command = threshr();
        command.args(["evaluate", "--model"]).arg(&out).args(["--overlap", "allow", "--metrics", metric]);
        let done = command.arg("--data").arg(&set).assert().code(code).get_output().clone();
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
    };
    let scores = evaluate("snippet", 0);
    assert!(scores.contains("sn_f1") && scores.contains("12 pages"), "{scores}");
    assert!(evaluate("token", 2).contains("--metrics snippet"));
}

#[test]
fn a_student_learns_the_scores_of_a_teacher_on_pages_without_gold() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 12);
    let recipe = dir.path().join("student.toml");
    let own = "classifier.name = 'tree'\nfeatures.set = 'shallow+density'\n";
    let train = |more: &str, code: i32| {
        std::fs::write(&recipe, format!("{own}{more}")).expect("written");
        let mut command = threshr();
        command.args(["train", "--force", "--data"]).arg(&set).arg("--recipe").arg(&recipe);
        command.arg("--unlabelled").arg(sample().join("pages"));
        failure(command.arg("--out").arg(dir.path().join("student.json")), code)
    };
    let num_pages = std::fs::read_dir(sample().join("pages")).expect("a folder").count();
    let told = train("labels.teacher = 'tiny'", 0);
    assert!(told.contains(&format!("tree on {} pages", 12 + num_pages)), "{told}");
    assert!(train("", 2).contains("labels.teacher"));
    assert!(train("labels.teacher = 'huge'", 2).contains("huge"));
}
