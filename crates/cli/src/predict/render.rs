//! Options of `threshr predict` for what formats contain beside the text.

use threshr_core::{Error, Result};
use threshr_extract::formats::{Added, Format, WriteOptions};

/// What formats contain beside the text. No option changes which text is kept.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct RenderArgs {
    /// Leave out the addresses of links, and notes as notes (Markdown, HTML)
    #[arg(long, overrides_with = "links")]
    no_links: bool,
    /// Write links [default]
    #[arg(long, hide = true)]
    links: bool,
    /// Leave out images (Markdown, HTML)
    #[arg(long, overrides_with = "images")]
    no_images: bool,
    /// Write images [default]
    #[arg(long, hide = true)]
    images: bool,
    /// Write the cells of tables as paragraphs (Markdown)
    #[arg(long, overrides_with = "tables")]
    no_tables: bool,
    /// Write tables [default]
    #[arg(long, hide = true)]
    tables: bool,
    /// Write formulas as TeX without dollars (Markdown, HTML)
    #[arg(long, overrides_with = "formulas")]
    no_formulas: bool,
    /// Write formulas between dollars [default]
    #[arg(long, hide = true)]
    formulas: bool,
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

/// Formats with a row for each page.
const ROWS: &[&str] = &["jsonl", "parquet"];

/// What is written of a page.
#[derive(Debug, Clone)]
pub(super) struct Render {
    pub(super) added: Added,
    pub(super) options: WriteOptions,
    pub(super) url: Option<String>,
}

impl RenderArgs {
    /// Whether rows contain units.
    pub(super) fn units(&self) -> bool {
        self.units
    }

    /// What is written beside the content.
    pub(crate) fn added(&self) -> Added {
        Added { markdown: self.markdown, units: self.units, metadata: self.metadata || self.front_matter }
    }

    /// What to write.
    pub(super) fn render(&self) -> Render {
        Render {
            added: self.added(),
            options: WriteOptions {
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
    /// If the format has no field for what is added.
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
            return Err(
                Error::recipe(format!("`{}` has no place for {option}", format.name)).expected(expected)
            );
        }
        if let Some(url) = self.url.as_deref().filter(|url| !url.contains("://")) {
            return Err(Error::recipe(format!("`{url}` is not an address"))
                .expected("an address such as https://example.org/page.html"));
        }
        Ok(())
    }
}
