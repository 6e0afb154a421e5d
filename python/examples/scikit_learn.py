"""Cross-validates estimators of scikit-learn on the features of threshr, with all pages of a site in one fold.

Usage: scikit_learn.py SET
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import threshr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    options = parser.parse_args()
    matrix = pa.table(threshr.features(options.set, features="shallow+density", neighbours=[1], threads=0))
    names = [name for name in matrix.column_names if "." in name]
    x = np.column_stack([matrix[name] for name in names])
    y = np.asarray(matrix["label"])
    pages = matrix["page"].to_pylist()
    sites = [site or page for site, page in zip(matrix["site"].to_pylist(), pages)]
    print(f"{len(y)} blocks of {len(set(pages))} pages, {len(names)} columns, {y.mean():.2f} of the blocks are content")
    estimators = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "random forest": RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
    }
    for name, estimator in estimators.items():
        # The pages of a site are never in both training and test data, because scores on known sites would be too high.
        folds = GroupKFold(3)
        scores = cross_val_predict(estimator, x, y, groups=sites, cv=folds, method="predict_proba")[:, 1]
        print(f"{name}: AUC {roc_auc_score(y, scores):.3f} on pages of held-out sites")


if __name__ == "__main__":
    main()
