//! Tests of the models of page type and quality: fitting, saving, loading, invalid files.

use super::*;
use ndarray::Array2;
use serde_json::Value;
use threshr_fit::linear::softmax::fit_softmax;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};
use threshr_page::PageFacts;

/// A page of one of two types.
fn html(number: usize) -> (String, usize) {
    let text = format!("It rained on day {number}. Nobody went out of the house, and the river rose.");
    match number % 2 {
        0 => {
            (format!("<title>News {number}</title><article class=story><h1>Rain</h1><p>{text}</article>"), 0)
        }
        _ => (
            format!(
                "<title>Shop {number}</title><div class=product><h1>Shoe</h1><p>€{number}</p>\
                 <button>Add to cart</button><ul><li>{text}</ul></div>"
            ),
            1,
        ),
    }
}

struct Sample {
    doc: Document,
    blocks: Blocks,
    stats: Vec<BlockStats>,
    words: PageWords,
    class: usize,
    scores: Vec<f32>,
    kept: Vec<bool>,
}

impl Sample {
    fn page<'a>(&'a self, url: Option<&'a str>) -> LabelledPage<'a> {
        LabelledPage {
            doc: &self.doc,
            blocks: &self.blocks,
            stats: &self.stats,
            words: Some(&self.words),
            scores: &self.scores,
            kept: &self.kept,
            url,
        }
    }
}

/// A page without words and labels.
fn unread<'a>(doc: &'a Document, blocks: &'a Blocks, url: Option<&'a str>) -> LabelledPage<'a> {
    LabelledPage { doc, blocks, stats: &[], words: None, scores: &[], kept: &[], url }
}

fn samples() -> Vec<Sample> {
    let of = |number| {
        let (html, class) = html(number);
        let doc = parse_str(&html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let (stats, words) = PageFacts::new(&doc, &blocks).into_stats_and_words();
        let words = words.expect("words");
        let scores = (0..blocks.len()).map(|i| (i * 7 + number) as f32 % 10.0 / 10.0).collect::<Vec<_>>();
        let kept = scores.iter().map(|s| *s > 0.4).collect();
        Sample { doc, blocks, stats, words, class, scores, kept }
    };
    (0..40).map(of).collect()
}

fn fitted() -> PageModels {
    let samples = samples();
    let terms = samples.iter().map(|s| PageTerms::new(&s.doc, &s.blocks, None).with_kept(&s.kept));
    let terms: Vec<PageTerms> = terms.collect();
    let class: Vec<usize> = samples.iter().map(|s| s.class).collect();
    let vocabulary = PageVocabulary::learn(&terms.iter().zip(class.iter().copied()).collect::<Vec<_>>(), 2);
    let inputs = samples.iter().map(|s| PageInputs::new(&s.doc, &s.blocks, &s.stats, None));
    let matrix = |rows: Vec<Vec<f32>>| {
        Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).expect("equal rows")
    };
    let (mut rows, mut of_scores) = (Vec::new(), Vec::new());
    for ((sample, inputs), terms) in samples.iter().zip(inputs).zip(&terms) {
        let mut row = inputs.columns(&sample.scores, &sample.kept);
        row.extend(vocabulary.columns_of(terms));
        rows.push(row);
        of_scores.push(inputs.score_columns(&sample.scores, &sample.kept));
    }
    let classes = vec!["article".to_owned(), "product".to_owned()];
    let fit = |x: Vec<Vec<f32>>, class: &[usize], num_classes| {
        fit_softmax(matrix(x).view(), class, &[1.0; 40], num_classes, 0.1).expect("fitted")
    };
    let page_type = PageTypeModel::new(classes, vocabulary, fit(rows, &class, 2));
    let bins: Vec<usize> = (0..40).map(|i| bin_of(i as f32 / 40.0)).collect();
    let means = (0..NUM_BINS).map(|bin| bounds(bin).iter().sum::<f32>() / 2.0).collect();
    let quality = QualityModel::new(means, fit(of_scores, &bins, NUM_BINS));
    PageModels { page_type: Some(page_type), quality: Some(quality) }
}

fn predict(models: &PageModels, sample: &Sample) -> TypeAndQuality {
    models.predict(&sample.page(None), true, true)
}

#[test]
fn types_and_quality_are_predicted() {
    let models = fitted();
    for sample in samples() {
        let page = predict(&models, &sample);
        assert_eq!(page.page_type(), Some(["article", "product"][sample.class]));
        let sum: f32 = page.page_types.iter().map(|t| t.1).sum();
        assert!((sum - 1.0).abs() < 1e-5 && page.page_types[0].1 >= page.page_types[1].1);
        let quality = page.quality.expect("a quality");
        assert!(0.0 <= quality.low && quality.low <= quality.high && quality.high <= 1.0, "{quality:?}");
        assert!((0.0..=1.0).contains(&quality.expected));
    }
    // an empty page
    let (doc, blocks) = (parse_str(""), Blocks::default());
    let page = models.predict(&unread(&doc, &blocks, Some("::")), true, true);
    assert!(page.page_types.iter().all(|t| t.1.is_finite()));
}

#[test]
fn columns_of_training_and_prediction_agree() {
    let models = fitted();
    let model = models.page_type.as_ref().expect("a model");
    assert!(!model.vocabulary().is_empty());
    for sample in samples() {
        let terms = PageTerms::new(&sample.doc, &sample.blocks, Some("https://a.example/x/y"));
        let terms = terms.with_kept(&sample.kept);
        let vocabulary = model.vocabulary();
        let page = sample.page(Some("https://a.example/x/y"));
        let predicted = vocabulary.columns(&page);
        assert_eq!(vocabulary.columns_of(&terms), predicted);
        assert_eq!(vocabulary.columns(&LabelledPage { words: None, ..page }), predicted);
        let names = model.columns();
        let columns = num_columns().0 + predicted.len();
        assert_eq!(names.len(), columns);
    }
}

#[test]
fn frequent_terms_are_terms_of_their_own() {
    let page = |times: usize| {
        let doc = parse_str(&"<p class=card>x".repeat(times));
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        (PageTerms::new(&doc, &blocks, None), doc, blocks)
    };
    // the pages have the same terms, and only the number of occurrences depends on the class
    let pages: Vec<_> = (0..40).map(|i| page(if i % 2 == 0 { 2 } else { 20 })).collect();
    let with_class: Vec<_> = pages.iter().enumerate().map(|(i, p)| (&p.0, i % 2)).collect();
    let vocabulary = PageVocabulary::learn(&with_class, 2);
    let sum = |times| {
        let (terms, doc, blocks) = page(times);
        let columns = vocabulary.columns_of(&terms);
        assert_eq!(vocabulary.columns(&unread(&doc, &blocks, None)), columns);
        columns.chunks_exact(2).map(|c| c[1] - c[0]).sum::<f32>()
    };
    assert!(sum(2) == 0.0 && sum(4) > 0.0 && sum(16) > sum(15), "{} {} {}", sum(4), sum(15), sum(16));
}

#[test]
fn loaded_models_predict_the_same_bits() {
    let models = fitted();
    assert_eq!(models, fitted(), "the same pages give the same models");
    let json = serde_json::to_string(&models).expect("written");
    let loaded: PageModels = serde_json::from_str(&json).expect("read");
    loaded.check().expect("sound");
    assert_eq!(loaded, models);
    assert!(samples().iter().all(|sample| predict(&loaded, sample) == predict(&models, sample)));
}

/// Changes one entry of a JSON value in several ways and calls `each` with every result.
fn damage(value: &Value, each: &mut dyn FnMut(Value, &str)) {
    let Value::Object(map) = value else { return };
    for (key, part) in map {
        let with = |new: Option<Value>| {
            let mut map = map.clone();
            match new {
                Some(new) => map.insert(key.clone(), new),
                None => map.remove(key),
            };
            Value::Object(map)
        };
        if !key.starts_with("held_out") {
            each(with(None), key);
        }
        each(with(Some(Value::from("!"))), key);
        match part {
            Value::String(text) if text.len() > 8 => {
                each(with(Some(Value::from(&text[..text.len() - 8]))), key);
            }
            Value::Array(items) if !items.is_empty() => {
                each(with(Some(items[1..].into())), key);
                each(with(Some([&items[..], &items[..1]].concat().into())), key);
            }
            Value::Number(_) => each(with(Some(Value::from(77))), key),
            Value::Object(_) => damage(part, &mut |part, name| each(with(Some(part)), name)),
            _ => {}
        }
    }
}

#[test]
fn damaged_models_are_errors() {
    let models = fitted();
    let whole = serde_json::to_value(&models).expect("written");
    let mut num_changes = 0;
    let mut check = |part: &str| {
        damage(&whole[part], &mut |damaged, key| {
            num_changes += 1;
            let section = serde_json::json!({ part: damaged });
            let loaded = serde_json::from_value::<PageModels>(section);
            // held-out results are informative only; no prediction depends on them
            let is_error = loaded.map_or(true, |models| models.check().is_err());
            assert!(is_error || key.starts_with("held_out"), "{part}: {key}");
        });
    };
    check("page_type");
    check("quality");
    assert!(num_changes > 40, "{num_changes}");
    // numbers that are not finite
    let text = whole.to_string();
    let nan = base64_of_nan();
    for field in ["bias", "mean", "means"] {
        let start = text.find(&format!("\"{field}\":\"")).expect("the field") + field.len() + 4;
        let damaged = format!("{}{nan}{}", &text[..start], &text[start + nan.len()..]);
        let loaded = serde_json::from_str::<PageModels>(&damaged);
        assert!(loaded.map_or(true, |models| models.check().is_err()), "{field}");
    }
}

/// Base64 of three numbers that are not finite: 16 characters without padding.
fn base64_of_nan() -> &'static str {
    // the bytes 00 00 c0 7f, three times
    "AADAfwAAwH8AAMB/"
}
