//! Writes a set as a folder with `gold.jsonl` and `pages/`.

use crate::gold::{GoldPage, Snippets, jsonl};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_html::geometry_path;
use threshr_io::atomic;
use threshr_io::names::FreeNames;

/// A set that is being written to a temporary folder. [`SetWriter::finish`] renames the folder to its final name.
#[derive(Debug)]
pub struct SetWriter {
    target: PathBuf,
    folder: TempDir,
    list: std::fs::File,
    names: FreeNames,
}

/// Content to write for a page, in addition to the fields of its [`GoldPage`].
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// The HTML of the page, without labels.
    pub html: &'a [u8],
    /// The charset of the HTML. If `None`, it is detected from the page.
    pub charset: Option<&'a str>,
    /// The gold text, one block per line.
    pub gold: Option<&'a str>,
    /// The gold text with CleanEval markup.
    pub markup: Option<&'a str>,
}

impl SetWriter {
    /// Creates a set in a folder that does not exist or is empty.
    ///
    /// # Errors
    /// If the folder is not empty, or cannot be written.
    pub fn create(target: &Path, policy: Option<Policy>) -> Result<Self> {
        if std::fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_some()) || target.is_file() {
            return Err(Error::invalid_option("the folder for the set is not empty")
                .expected("a folder that is empty or does not exist")
                .at_path(target));
        }
        let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = tempfile::Builder::new().prefix(".threshr-").suffix(".tmp").tempdir_in(parent);
        let folder = folder.map_err(|e| Error::io(parent, e))?;
        atomic::register_unfinished(folder.path());
        let path = folder.path().to_path_buf();
        std::fs::create_dir(path.join("pages")).map_err(|e| Error::io(&path, e))?;
        if let Some(policy) = policy {
            let path = path.join("policy.toml");
            std::fs::write(&path, format!("policy = \"{}\"\n", policy.name()))
                .map_err(|e| Error::io(&path, e))?;
        }
        let list = path.join(jsonl::LIST);
        let list = std::fs::File::create(&list).map_err(|e| Error::io(&list, e))?;
        Ok(SetWriter { target: target.to_path_buf(), folder, list, names: FreeNames::default() })
    }

    /// Adds a page.
    ///
    /// # Errors
    /// If the page cannot be written.
    pub fn add(&mut self, page: &GoldPage, content: Content<'_>) -> Result<()> {
        let name = self.names.next(&page.id);
        let file = format!("pages/{name}.html");
        let path = self.folder.path().join(&file);
        std::fs::write(&path, content.html).map_err(|e| Error::io(&path, e))?;
        if let Some((_, geometry)) = page.geometry()? {
            let path = geometry_path(&path);
            std::fs::write(&path, geometry).map_err(|e| Error::io(&path, e))?;
        }
        let line = list_line(page, &file, content);
        writeln!(self.list, "{line}").map_err(|e| Error::io(self.folder.path(), e))
    }

    /// Completes the set by renaming its temporary folder.
    ///
    /// # Errors
    /// If the folder cannot be renamed.
    pub fn finish(self) -> Result<()> {
        let failed = |e| Error::io(&self.target, e);
        self.list.sync_all().map_err(failed)?;
        if self.target.is_dir() {
            // `create` has checked that the folder is empty
            std::fs::remove_dir(&self.target).map_err(failed)?;
        }
        let temporary = self.folder.keep();
        open_to_all(&temporary);
        let renamed = std::fs::rename(&temporary, &self.target).map_err(failed);
        if renamed.is_err() {
            // an error here is ignored, because the rename error is returned
            let _ = std::fs::remove_dir_all(&temporary);
        }
        atomic::unregister_unfinished(&temporary);
        renamed
    }
}

/// Returns the line of a page in `gold.jsonl`. `file` is the path of its HTML relative to the folder of
/// `gold.jsonl`.
pub fn list_line(page: &GoldPage, file: &str, content: Content<'_>) -> Value {
    let mut line = Map::new();
    line.insert("id".to_owned(), page.id.clone().into());
    line.insert("file".to_owned(), file.into());
    let mut put = |name: &str, value: Option<&str>| {
        value.into_iter().for_each(|value| drop(line.insert(name.to_owned(), value.into())));
    };
    put("url", page.url.as_deref());
    put("site", page.site.as_deref().filter(|_| page.url.is_none()));
    put("lang", page.lang.as_deref());
    put("encoding", content.charset);
    put("page_type", page.page_type.as_deref());
    put("gold", content.gold);
    put("gold_markup", content.markup);
    let Snippets { with, without, comments } = &page.snippets;
    let lists = [("with", with), ("without", without), ("comments", comments), ("unsure", &page.unsure)];
    for (name, list) in lists {
        if !list.is_empty() {
            line.insert(name.to_owned(), list.clone().into());
        }
    }
    if !page.posts.is_empty() {
        line.insert("posts".to_owned(), json!(page.posts));
    }
    Value::Object(line)
}

/// Gives a private temporary folder the permissions of ordinary folders.
#[cfg(unix)]
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // if this fails, the folder stays private
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755));
}
#[cfg(not(unix))]
fn open_to_all(_: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::{DataSet, Gold, ReadOptions};

    #[test]
    fn a_written_set_is_read_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let target = dir.path().join("set");
        let mut writer =
            SetWriter::create(&target, Some(Policy::parse("full").expect("known"))).expect("begun");
        for (id, gold) in [("a/b", Some("Gold")), ("a_b", None), ("A_B", Some(""))] {
            let page = GoldPage {
                url: Some("http://x.example/".into()),
                ..GoldPage::in_file(id, dir.path().join("x"))
            };
            let content = Content { html: b"<p>x", charset: Some("utf-8"), gold, markup: None };
            writer.add(&page, content).expect("added");
        }
        assert!(!target.exists());
        writer.finish().expect("finished");
        let set = DataSet::open(&target, &ReadOptions::default()).expect("opened");
        assert_eq!(set.pages.len(), 3);
        assert_eq!(set.policy.map(|p| p.name()).as_deref(), Some("full"));
        assert!(matches!(&set.pages[0].gold, Some(Gold::Text { text, .. }) if text == "Gold"));
        assert!(set.pages[1].gold.is_none() && set.pages.iter().all(|p| p.load().is_ok()));
        assert!(SetWriter::create(&target, None).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
    }
}
