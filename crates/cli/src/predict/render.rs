//! Options of `threshr predict` that control the output other than the selection of text.

use threshr_core::{Error, Result};
use threshr_output::formats::{Added, Format, WriteOptions};

/// Options for output formats. They do not affect which text is kept.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct RenderArgs {
    /// Write links without URLs, and notes as plain text (Markdown, HTML)
    #[arg(long)]
    no_links: bool,
    /// Leave out images (Markdown, HTML)
    #[arg(long)]
    no_images: bool,
    /// Write the cells of tables as paragraphs (Markdown)
    #[arg(long)]
    no_tables: bool,
    /// Write formulas as TeX without dollars (Markdown, HTML)
    #[arg(long)]
    no_formulas: bool,
    /// Add the content as Markdown, for --format jsonl and parquet
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Add all units of the page as a tree, for --format jsonl and parquet
    #[arg(long)]
    units: bool,
    /// Add title, authors, dates and other metadata with their sources, and comments, for --format jsonl and parquet
    #[arg(long)]
    metadata: bool,
    /// Begin with title, authors, dates and other metadata as YAML, for --format markdown
    #[arg(long)]
    front_matter: bool,
    /// Address of the page, against which its links are resolved, if the input gives none
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// Formats with one row per page.
const ROWS: &[&str] = &["jsonl", "parquet"];

/// Settings that control what is written for each page.
#[derive(Debug, Clone)]
pub(super) struct Render {
    pub(super) added: Added,
    pub(super) options: WriteOptions,
    pub(super) url: Option<String>,
}

impl RenderArgs {
    /// Returns whether rows contain units.
    pub(super) fn units(&self) -> bool {
        self.units
    }

    /// Returns what is written in addition to the content.
    pub(crate) fn added(&self) -> Added {
        Added { markdown: self.markdown, units: self.units, metadata: self.metadata || self.front_matter }
    }

    /// Returns the settings of these options.
    /// `title` states whether Markdown and HTML begin with the title.
    pub(super) fn render(&self, title: bool) -> Render {
        Render {
            added: self.added(),
            options: WriteOptions {
                title,
                links: !self.no_links,
                images: !self.no_images,
                tables: !self.no_tables,
                formulas: !self.no_formulas,
            },
            url: self.url.clone(),
        }
    }

    /// Checks that the options fit the format.
    ///
    /// # Errors
    /// If the format cannot contain the requested additions.
    pub(super) fn check(&self, format: &Format) -> Result<()> {
        let needed = [
            (self.markdown, "--markdown", ROWS),
            (self.units, "--units", ROWS),
            (self.metadata, "--metadata", ROWS),
            (self.front_matter, "--front-matter", &["markdown"]),
        ];
        if let Some((_, option, names)) =
            needed.iter().find(|(is_set, _, names)| *is_set && !names.contains(&format.name))
        {
            let mut expected = format!("--format {}", names.join(" or "));
            if *option == "--markdown" {
                expected.push_str("; or --format markdown, without --markdown");
            }
            return Err(Error::invalid_option(format!("format `{}` does not support {option}", format.name))
                .expected(expected));
        }
        if let Some(url) = self.url.as_deref().filter(|url| !url.contains("://")) {
            return Err(Error::invalid_option(format!("`{url}` is not an address"))
                .expected("an address such as https://example.org/page.html"));
        }
        Ok(())
    }
}
