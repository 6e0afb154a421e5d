//! The feature families, one file each. Learned families are in `learned/`.

pub(crate) mod attribute;
pub(crate) mod bullet;
pub(crate) mod cetr;
pub(crate) mod container;
pub(crate) mod density;
pub(crate) mod document;
pub(crate) mod drawn;
pub(crate) mod duplicate;
pub(crate) mod edge;
pub(crate) mod group;
pub(crate) mod lexical;
pub(crate) mod metadata;
pub(crate) mod pattern;
pub(crate) mod policy;
pub(crate) mod position;
pub(crate) mod readability;
pub(crate) mod repeat;
pub(crate) mod shallow;
pub(crate) mod site_repeat;
pub(crate) mod split;
pub(crate) mod thread;
pub(crate) mod token;
pub(crate) mod visual;
pub(crate) mod window;
