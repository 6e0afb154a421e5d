//! The two sides of `threshr diff`: resolves what each argument refers to.

use crate::diff::args::{Args, file_name};
use crate::policy_args::PolicyArgs;
use crate::{labeller, remark};
use std::io::{BufRead, BufReader};
use std::path::Path;
use threshr::{SHIPPED, registries};
use threshr_core::{Error, Result};
use threshr_evaluate::Predictions;
use threshr_evaluate::difference::{Side, SideMethod};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::{Extractor, Labeller, Options};
use threshr_html::ParseOptions;
use threshr_sets::gold::CleanevalWrapper;

/// The method or file that an argument refers to.
enum Named<'a> {
    Model(&'a Path),
    System(&'a str),
    Predictions(&'a Path),
}

/// Creates both sides.
///
/// # Errors
/// If an argument is neither a file nor a known name, or if the model, system or file cannot be used.
pub(super) fn sides(args: &Args) -> Result<[Side; 2]> {
    let named = [named(&args.a)?, named(&args.b)?];
    let names: Vec<String> = named
        .iter()
        .filter_map(|named| match named {
            Named::System(name) => Some((*name).to_owned()),
            _ => None,
        })
        .collect();
    let systems = SystemChoice::list(&names, &args.system_param, &registries().systems)?;
    let has_predictions = named.iter().any(|named| matches!(named, Named::Predictions(_)));
    if (args.prediction_id.is_some() || args.prediction_text.is_some()) && !has_predictions {
        return Err(Error::invalid_option("neither A nor B is a file of predictions")
            .expected("no --prediction-id and no --prediction-text"));
    }
    let [a, b] = named;
    let a = side(args, &a, ("--a-policy", args.a_policy.as_deref()), systems.first())?;
    let b = side(args, &b, ("--b-policy", args.b_policy.as_deref()), systems.last())?;
    Ok([a, b])
}

fn named(text: &str) -> Result<Named<'_>> {
    let path = Path::new(text);
    if path.is_dir() {
        return Ok(Named::Predictions(path));
    }
    if path.exists() {
        return Ok(if is_model(path)? { Named::Model(path) } else { Named::Predictions(path) });
    }
    if SHIPPED.contains(&text) {
        return Ok(Named::Model(path));
    }
    // Names of systems contain no dots and slashes. A filter after `+` may contain a number.
    let name = text.split('+').next().unwrap_or(text);
    if name.contains(['.', '/', '\\']) {
        return Err(Error::io(path, std::io::ErrorKind::NotFound.into()));
    }
    registries().systems.by_name(name).map_err(|e| {
        Error::invalid_option(format!("`{text}` is neither a file nor a system"))
            .expected(
                "a model file, a shipped model (`default`, `fast`, `tiny`), a name that `threshr systems` lists, or a file of predictions",
            )
            .because(e)
    })?;
    Ok(Named::System(text))
}

/// Returns whether a file is a model, by its `format` key. A model file is one line with sorted keys, so this
/// key may be anywhere in the line. In a string value, such as the text of a page, the quotation marks around
/// `format` would be escaped.
fn is_model(path: &Path) -> Result<bool> {
    let mut line = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| Error::io(path, e))?;
    BufReader::new(file).read_until(b'\n', &mut line).map_err(|e| Error::io(path, e))?;
    let mark = b"\"format\":\"threshr-model\"";
    Ok(line.starts_with(b"{") && line.windows(mark.len()).any(|window| window == mark))
}

fn side(
    args: &Args,
    named: &Named<'_>,
    (option, policy): (&str, Option<&str>),
    system: Option<&SystemChoice>,
) -> Result<Side> {
    let no_policy = |what: &str| match policy {
        Some(_) => {
            Err(Error::invalid_option(format!("{what} have no policy")).expected(format!("no {option}")))
        }
        None => Ok(()),
    };
    match (named, system) {
        (Named::Model(path), _) => {
            let (name, extractor) = labeller::named(path, false, |method| match method.model() {
                Some(model) => {
                    policy.map(PolicyArgs::named).unwrap_or_default().choice(model, model.filter())
                }
                None => no_policy("trained systems").map(|()| None),
            })?;
            Ok(Side { name, method: SideMethod::Extractor(Box::new(extractor)) })
        }
        (Named::System(_), Some(choice)) => {
            no_policy("systems")?;
            let labeller = Labeller::system(choice.clone())?;
            let parse = ParseOptions { unwrap: Some(&CleanevalWrapper), ..ParseOptions::default() };
            let extractor = Box::new(Extractor::new(labeller, Options { parse, ..Options::default() }));
            Ok(Side { name: choice.name().to_owned(), method: SideMethod::Extractor(extractor) })
        }
        (Named::System(name), None) => unreachable!("the system {name} is in the list"),
        (Named::Predictions(path), _) => {
            no_policy("predictions")?;
            let (id, text) = (args.prediction_id.as_deref(), args.prediction_text.as_deref());
            let texts = Predictions::read(path, id, text)?;
            texts.remarks().iter().for_each(|text| remark(&format!("{}: {text}", path.display())));
            Ok(Side { name: file_name(path), method: SideMethod::Texts(texts) })
        }
    }
}
