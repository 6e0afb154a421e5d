//! Keeps outputs from replacing what a command reads, data sets, and files of another kind.
//!
//! All commands check all of their outputs here, before they read a page.

mod kind;
mod place;

pub(super) use kind::Kind;

use crate::is_forced;
use place::{Place, is_below};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::gold::{DataSet, gold_list};
use threshr_io::names;

/// What a command reads, and the outputs that it has checked.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// Files that are read.
    files: Vec<PathBuf>,
    /// Folders that are read, resolved.
    folders: Vec<PathBuf>,
    outputs: Vec<(&'static str, Place)>,
}

impl Guard {
    /// A command that reads these files and folders. Paths that do not exist and `-` are left out.
    pub(super) fn reading<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Guard {
        let mut guard = Guard::default();
        paths.into_iter().for_each(|path| guard.reads(path));
        guard
    }

    /// Adds a file or folder that is read.
    pub(super) fn reads(&mut self, path: &Path) {
        if path.as_os_str() == "-" || !path.exists() {
            return;
        }
        if path.is_dir() {
            self.folders.push(Place::of(path).path);
            return;
        }
        // a list of gold stands for its folder
        let place = Place::of(path).path;
        let folder = place.parent().filter(|_| is_gold_list(&place));
        self.folders.extend(folder.map(Path::to_path_buf));
        self.files.push(path.to_path_buf());
    }

    /// Adds the files of annotated sets. A set that is a file may have its pages in other files.
    pub(super) fn reads_sets(&mut self, sets: &[DataSet]) {
        for set in sets {
            self.reads(&set.path);
            if !set.path.is_dir() {
                let pages = set.pages.iter().filter_map(|page| page.own_file());
                pages.filter(|path| path.exists()).for_each(|path| self.files.push(path.to_path_buf()));
            }
        }
    }

    /// Checks outputs against the pages of sets, which are known only when the sets are open.
    ///
    /// # Errors
    /// If an output is a page.
    pub(super) fn pages<'a>(
        sets: &[DataSet],
        outputs: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>,
    ) -> Result<()> {
        let mut guard = Guard::default();
        guard.reads_sets(sets);
        let given = outputs.into_iter().filter_map(|(option, path)| Some((option, path?)));
        given.into_iter().try_for_each(|(option, path)| guard.check_read(option, &Place::of(path)))
    }

    /// Checks an output file. `kinds` are the kinds that it may replace; none if whoever writes it checks that.
    ///
    /// # Errors
    /// If it is read, is part of a data set, is another output, is a folder, or exists and is of another kind.
    pub(super) fn file(&mut self, option: &'static str, path: &Path, kinds: &[Kind]) -> Result<()> {
        self.file_with(option, path, kinds, &[])
    }

    /// Checks an output file like [`Guard::file`]. The files with these suffixes are written beside it.
    pub(super) fn file_with(
        &mut self,
        option: &'static str,
        path: &Path,
        kinds: &[Kind],
        suffixes: &[&str],
    ) -> Result<()> {
        if path.as_os_str() == "-" || place::is_special(path) {
            return Ok(());
        }
        if path.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into())
                .expected(format!("a file for {option}")));
        }
        for suffix in suffixes {
            let mut beside = path.as_os_str().to_owned();
            beside.push(suffix);
            self.check_read(option, &Place::of(Path::new(&beside)))?;
        }
        let place = Place::of(path);
        self.check_outputs(option, &place)?;
        self.check_read(option, &place)?;
        self.check_inside(option, path, &place)?;
        self.check_existing(option, path, &place, kinds)?;
        self.outputs.push((option, place));
        Ok(())
    }

    /// Checks an output folder. `is_own` says whether an existing folder that is not empty is of its kind.
    ///
    /// # Errors
    /// If it is a file, is read or is inside of what is read, is a data set, is another output, or has other
    /// files in it.
    pub(super) fn folder(
        &mut self,
        option: &'static str,
        path: &Path,
        is_own: impl Fn(&Path) -> bool,
    ) -> Result<()> {
        let place = self.folder_place(option, path)?;
        if place.path.join("gold.jsonl").exists() {
            return Err(part_of_set(option, path));
        }
        if place.exists() && !is_own(path) {
            self.check_data_set(option, path, &place.path)?;
            if !is_empty(path) && !is_forced() {
                return Err(Error::recipe(format!("{option}: the folder has other files in it"))
                    .expected("an empty or new folder, or --force to write into this one")
                    .at_path(path));
            }
        }
        self.outputs.push((option, place));
        Ok(())
    }

    /// Checks an output folder that an earlier run of the command made, and into which this run writes more.
    ///
    /// # Errors
    /// If it is a file, is read or is inside of what is read, or is another output.
    #[cfg(feature = "browser")]
    pub(super) fn own_folder(&mut self, option: &'static str, path: &Path) -> Result<()> {
        let place = self.folder_place(option, path)?;
        self.outputs.push((option, place));
        Ok(())
    }

    /// The place of an output folder that is no part of what is read.
    fn folder_place(&self, option: &'static str, path: &Path) -> Result<Place> {
        if path.exists() && !path.is_dir() {
            return Err(Error::recipe(format!("{option} is a file"))
                .expected("a folder for the results")
                .at_path(path));
        }
        let place = Place::of(path);
        self.check_outputs(option, &place)?;
        if let Some(read) = self.folders.iter().find(|read| is_below(&place.path, read)) {
            return Err(inside(option, path, read, "a folder outside of it"));
        }
        // such as OUT/pages, if the set is OUT/pages
        let inner = ["pages", "cells"].map(|name| place.path.join(name));
        if let Some(read) = self.folders.iter().find(|read| inner.iter().any(|inner| is_below(read, inner))) {
            return Err(Error::recipe(format!("{option} would write into the data set {}", read.display()))
                .expected("another folder")
                .at_path(path));
        }
        if inner.iter().any(|inner| inner.is_dir()) {
            let is_inside =
                |read: &&PathBuf| inner.iter().any(|inner| is_below(&Place::of(read).path, inner));
            if let Some(read) = self.files.iter().find(is_inside) {
                return Err(Error::recipe(format!(
                    "{option} would write beside the input {}",
                    read.display()
                ))
                .expected("another folder")
                .at_path(path));
            }
        }
        Ok(place)
    }

    fn check_outputs(&self, option: &str, place: &Place) -> Result<()> {
        match self.outputs.iter().find(|(_, other)| other.is_same(place)) {
            Some((other, _)) => Err(Error::recipe(format!("{other} and {option} are the same file"))
                .expected("two files")
                .at_path(&place.path)),
            None => Ok(()),
        }
    }

    /// Rejects a file that is read, and further names (hard links) of the files in folders that are read.
    fn check_read(&self, option: &str, place: &Place) -> Result<()> {
        // there may be millions of inputs, and a new file is none of them
        let is_read = || {
            let is_file = self.files.iter().any(|read| place.is_file(read));
            is_file || self.folders.iter().any(|dir| place::has_link_to(dir, place))
        };
        match place.exists() && is_read() {
            true => Err(Error::recipe(format!("{option} would replace an input"))
                .expected("another file")
                .at_path(&place.path)),
            false => Ok(()),
        }
    }

    /// Rejects files in a folder that is read. They would change what the next run reads. The folder of a list of gold
    /// may take files that are neither pages nor gold, such as a model or a cache.
    fn check_inside(&self, option: &str, path: &Path, place: &Place) -> Result<()> {
        let is_beside_list = |read: &Path| {
            place.path.parent() == Some(read)
                && gold_list(read).is_some()
                && !is_gold_list(&place.path)
                && (option == "--cache" || NO_PAGES.contains(&&*names::ending(&place.path)))
        };
        let mut folders = self.folders.iter().filter(|read| is_below(&place.path, read));
        match folders.find(|read| !is_beside_list(read)) {
            Some(read) => Err(inside(option, path, read, "a file outside of it")),
            None => Ok(()),
        }
    }

    fn check_existing(&self, option: &str, path: &Path, place: &Place, kinds: &[Kind]) -> Result<()> {
        if !place.exists() {
            return Ok(());
        }
        if is_gold_list(&place.path) {
            return Err(part_of_set(option, path));
        }
        let found = Kind::of(&place.path)?;
        check_gold_text(option, path, &place.path)?;
        if found == Kind::Empty || kinds.contains(&found) || (kinds.is_empty() && found == Kind::Cache) {
            return Ok(());
        }
        let folder = place.path.parent().unwrap_or(Path::new("/"));
        self.check_data_set(option, path, folder)?;
        if is_forced() && DataSet::form_at(&place.path).is_some() {
            return Err(part_of_set(option, path));
        }
        if is_forced() || kinds.is_empty() {
            return Ok(());
        }
        let wanted: Vec<&str> = kinds.iter().map(Kind::name).collect();
        Err(Error::recipe(format!("{option} would replace {} by {}", found.name(), wanted.join(" or ")))
            .expected("another file, or --force to replace this one")
            .at_path(path))
    }

    /// Rejects a data set, and a subfolder of one, such as its folder of pages.
    fn check_data_set(&self, option: &str, path: &Path, folder: &Path) -> Result<()> {
        // pages and their texts may stand beside other files
        let is_set = |dir: &Path| match DataSet::form_at(dir).filter(|_| dir.is_dir()) {
            Some("pairs") => path.is_dir() || has_partner(path),
            form => form.is_some(),
        };
        let parent = folder.parent().filter(|parent| parent.parent().is_some());
        match is_set(folder) || parent.is_some_and(|dir| dir.join("gold.jsonl").is_file() || is_layout(dir)) {
            true => Err(part_of_set(option, path)),
            false => Ok(()),
        }
    }
}

/// Rejects a gold text: one in the folders of a layout, and, without `--force`, one beside the page of the same name.
fn check_gold_text(option: &str, path: &Path, place: &Path) -> Result<()> {
    let is_text = names::ending(place) == "txt";
    let set = place.parent().and_then(Path::parent);
    if is_text && set.is_some_and(is_layout) {
        return Err(part_of_set(option, path));
    }
    if is_text && has_partner(place) && !is_forced() {
        let what = format!("{option} would replace a text that may be the gold of the page beside it");
        return Err(Error::recipe(what)
            .expected("another file, or --force to replace this one")
            .at_path(path));
    }
    Ok(())
}

/// Whether a folder has the layout of a set with folders for pages and gold.
fn is_layout(dir: &Path) -> bool {
    let layouts = [["input", "GoldStandard"], ["HTML", "Corrected"], ["html", "ground-truth"]];
    layouts.iter().any(|names| names.iter().all(|name| dir.join(name).is_dir()))
}

/// Whether a file is a page with a text beside it, or a text with a page beside it.
fn has_partner(path: &Path) -> bool {
    ["html", "htm", "txt"].iter().any(|ending| {
        let other = path.with_extension(ending);
        other != path && other.is_file() && (*ending == "txt") == names::is_html(path)
    })
}

/// Extensions of outputs that no command takes for a page or for gold in the folder of a list of gold.
const NO_PAGES: [&str; 8] = ["json", "jsonl", "ndjson", "csv", "tsv", "parquet", "model", "cache"];

/// Whether a file has the name of a list of gold.
fn is_gold_list(path: &Path) -> bool {
    names::unpacked(path).eq_ignore_ascii_case("gold.jsonl")
}

/// The error for an output in a folder that is read.
fn inside(option: &str, path: &Path, read: &Path, expected: &str) -> Error {
    let what = format!("{option} lies in an input, {}, and would change what is read", read.display());
    Error::recipe(what).expected(expected).at_path(path)
}

fn part_of_set(option: &str, path: &Path) -> Error {
    Error::recipe(format!("{option} would write over a data set"))
        .expected("a file or folder outside of data sets")
        .at_path(path)
}

/// Whether a folder is no data set and no folder of pages, so that new files may be added to it.
pub(super) fn is_no_set(dir: &Path) -> bool {
    let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    !entries.any(|entry| names::is_html(&entry.path())) && !DataSet::is_at(dir)
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}
