//! Names that are stated in parts: given name, additional names, family name.

/// First character of the Chinese, Japanese and Korean scripts, in which names have no spaces.
const FIRST_UNSPACED: char = '\u{2e80}';

/// The parts of a person's name. An absent part is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NameParts {
    pub given: String,
    pub additional: String,
    pub family: String,
}

impl NameParts {
    /// Returns the part for a property, by the name of the property in schema.org (`givenName`) or vCard
    /// (`p-given-name`).
    pub(super) fn part(&mut self, property: &str) -> Option<&mut String> {
        let property = property.rsplit([':', '/']).next().unwrap_or(property);
        let property = property.strip_prefix("p-").unwrap_or(property);
        match property.replace(['-', '_'], "").to_ascii_lowercase().as_str() {
            "givenname" | "firstname" => Some(&mut self.given),
            "additionalname" => Some(&mut self.additional),
            "familyname" | "lastname" => Some(&mut self.family),
            _ => None,
        }
    }

    /// Returns the full name. The script, or `language` (a BCP 47 tag), determines the order of the parts.
    pub(super) fn whole(&self, language: Option<&str>) -> String {
        let Self { given, additional, family } = self;
        let is_unspaced = |part: &String| part.chars().all(|c| c >= FIRST_UNSPACED);
        let language = language.and_then(|tag| tag.split(['-', '_']).next()).unwrap_or_default();
        let joined = |parts: [&String; 3], between: &str| {
            let parts = parts.map(|part| part.trim());
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
        };
        match language.to_ascii_lowercase().as_str() {
            _ if [given, additional, family].into_iter().all(is_unspaced) => {
                joined([family, additional, given], "")
            }
            "hu" => joined([family, given, additional], " "),
            "vi" => joined([family, additional, given], " "),
            _ => joined([given, additional, family], " "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_in_the_order_of_the_language() {
        for (given, additional, family, language, expected) in [
            ("Ada", "", "Fenn", None, "Ada Fenn"),
            ("Tom", "J.", "Agar", Some("en-GB"), "Tom J. Agar"),
            ("Anna", "", "Nagy", Some("hu"), "Nagy Anna"),
            ("An", "Văn", "Nguyễn", Some("vi-VN"), "Nguyễn Văn An"),
            ("小明", "", "王", Some("zh"), "王小明"),
            ("길동", "", "홍", None, "홍길동"),
            ("Taro", "", "Yamada", Some("ja"), "Taro Yamada"),
            ("Настя", "Петровна", "Иванова", Some("ru"), "Настя Петровна Иванова"),
            ("", "", "Fenn", None, "Fenn"),
            (" ", "", "", None, ""),
        ] {
            let parts =
                NameParts { given: given.into(), additional: additional.into(), family: family.into() };
            assert_eq!(parts.whole(language), expected);
        }
        let mut parts = NameParts::default();
        for property in ["schema:givenName", "p-given-name", "foaf:firstName", "given_name"] {
            assert!(parts.part(property).is_some(), "{property}");
        }
        assert!(parts.part("name").is_none() && parts.part("givenness").is_none());
    }
}
