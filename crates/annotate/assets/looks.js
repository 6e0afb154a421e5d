// How the labels of a model look.

export const labelOf = (info) => (info.kept ? "content" : "boilerplate");

/** How a block looks in the page and in the list. */
export function lookOf(info) {
  return { label: labelOf(info), certainty: info.certainty, doubtful: info.doubtful, different: info.different === true };
}

/** The score of a block, and why its label differs from it unless a person has labelled the block. */
export function scoreText({ threshold, has_scores: hasScores }, info, isByPerson = false) {
  const score = hasScores ? `score ${info.score.toFixed(2)} ${info.score >= threshold ? "≥" : "<"} threshold ${threshold.toFixed(2)}` : "no score";
  return info.reason && !isByPerson ? `${score}, but ${info.reason}` : score;
}
