//! Figures: images with captions.

use crate::units::inline::AtomKind;
use crate::units::{Kind, Unit};

/// Removes images of a figure that have the alternative text of an earlier one. They are usually other sizes of the
/// same image.
pub(super) fn drop_same_images(children: &mut Vec<Unit>) {
    let mut seen: Vec<String> = Vec::new();
    for child in children.iter_mut() {
        child.inlines.atoms.retain(|atom| match &atom.kind {
            AtomKind::Image { alt, .. } if !alt.is_empty() && seen.len() < MAX_IMAGES => {
                let is_new = !seen.contains(alt);
                seen.extend(is_new.then(|| alt.clone()));
                is_new
            }
            _ => true,
        });
    }
    children.retain(|child| child.kind != Kind::Paragraph || !child.inlines.is_empty());
}

/// Maximum number of images per figure that are compared.
const MAX_IMAGES: usize = 100;

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn a_figure_has_each_image_once() {
        let image =
            |name: &str, alt: &str| format!("<div><img src=https://a.example/{name} alt={alt}></div>");
        let figure = |second: &str| {
            let html =
                format!("<p>x<figure>{}{second}<figcaption>c</figcaption></figure><p>y", image("1.png", "a"));
            written("markdown", &html).matches("](https").count()
        };
        assert_eq!(figure(&image("2.png", "a")), 1);
        assert_eq!(figure(&image("2.png", "b")), 2);
    }
}
