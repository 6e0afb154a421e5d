//! FIASCO: a support vector machine over the target nodes of a page.

use crate::shared::threshold::{self, Threshold};
use serde::Deserialize;
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, System};
use threshr_extract::recipe::Recipe;

/// The blocks are target nodes (segmentation `target-node`). A support vector machine with a Gaussian kernel
/// scores them by linguistic, structural and visual features. Its probabilities are calibrated on held-out
/// pages.
///
/// Keywords of clean text and of boilerplate are learned (family `words`). Visual features are computed from
/// the geometry file of a page (family `visual`). If there is no such file, they are 0. Part-of-speech
/// features are not implemented. The published settings are not known.
pub(crate) static SYSTEM: System = System {
    name: "fiasco",
    summary: "support vector machine over linguistic, structural and visual features of target nodes",
    source: "Bauer et al., CleanEval 2007, FIASCO: Filtering the internet by automatic subtree classification, Osnabrück",
    options: &[
        SystemOption::new("c", "1.0", "cost of an error"),
        SystemOption::new(
            "machine",
            "\"svm-rff\"",
            "`svm`: exact kernel, at most 5,000 blocks; `svm-rff`: approximated kernel, all blocks",
        ),
        Threshold::OPTION,
    ],
    ..System::new(How::Recipe(recipe))
};

/// The options.
#[derive(Debug, Deserialize)]
struct Settings {
    c: f64,
    machine: String,
    threshold: Threshold,
}

fn recipe(settings: &Value) -> Result<Recipe> {
    let Settings { c, machine, threshold } = option::read(settings)?;
    let mut recipe = threshold::recipe("fiasco", &machine, json!({ "c": c }), threshold);
    recipe.block.segmentation = "target-node".into();
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use threshr_extract::baseline::SystemChoice;
    use threshr_features::{Families, PageContext};
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn target_nodes_have_the_published_features() {
        let recipe = SystemChoice::parse("fiasco", &crate::systems())
            .expect("it exists")
            .recipe(1)
            .expect("read")
            .expect("a recipe");
        let mut doc = parse_str("<h1>On mills</h1><p>A mill. <a href=x>An old mill</a></p>");
        let outlines = br#"{"format": "threshr-geometry", "version": 1, "boxes":
            {"/html/body/h1": [0, 0, 200, 30], "/html/body/p/a": [0, 30, 100, 15]}}"#;
        doc.attach_geometry(outlines).expect("read");
        let segmentation = block::by_name(&recipe.block.segmentation).expect("it exists");
        let blocks = Blocks::new(&doc, segmentation, Visibility::Visible);
        assert_eq!(blocks.join(|_| true), "On mills\nA mill.\nAn old mill");
        let matrix = recipe
            .feature_set(&Families::default())
            .expect("a set")
            .extract(&PageContext::new(&doc, &blocks));
        let column = |name: &str| {
            let at = matrix.columns().iter().position(|c| c == name).expect(name);
            matrix.values().column(at).to_vec()
        };
        assert_eq!(column("shallow.num_words"), [2.0, 2.0, 3.0]);
        assert_eq!(column("lexical.num_types"), [2.0, 2.0, 3.0]);
        assert_eq!(column("shallow.num_sentences"), [1.0, 1.0, 1.0]);
        assert_eq!(column("container.is_h1"), [1.0, 0.0, 0.0]);
        assert_eq!(column("visual.width"), [1.0, 0.0, 0.5]);
        assert_eq!(column("visual.height"), [1.0, 0.0, 0.5]);
    }
}
