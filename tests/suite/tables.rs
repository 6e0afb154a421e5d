//! Tables in documents say what the registries say.

use crate::support::repository;

#[test]
fn documents_name_every_registered_thing() {
    let read = |name: &str| std::fs::read_to_string(repository(name)).expect("read");
    let readme = read("README.md");
    for classifier in threshr::classifier::REGISTRY {
        assert!(readme.contains(&format!("`{}`", classifier.name)), "README: {}", classifier.name);
    }
    for family in threshr::features::REGISTRY {
        assert!(readme.contains(&format!("`{}`", family.name())), "README: {}", family.name());
    }
    for system in threshr::systems::REGISTRY {
        // a family of systems is named once, its others by their ends
        let end = system.name.split_once('-').map_or("", |(_, end)| end);
        let named = readme.contains(&format!("`{}`", system.name)) || readme.contains(&format!("`-{end}`"));
        assert!(named, "README: {}", system.name);
    }
    let contributing = read("CONTRIBUTING.md");
    for part in ["feature family", "classifier", "system", "metric", "reader"] {
        assert!(contributing.contains(part), "CONTRIBUTING: {part}");
    }
}
