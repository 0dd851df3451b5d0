// The incomplete beta function and the quantiles built on it; the gate's only special functions.

/** Lanczos coefficients for g = 7, n = 9 (Godfrey 2001); relative error below 1e-14 for x ≥ 0.5. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const y = x - 1;
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (y + i);
  const t = y + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
/** Terms needed grow with √max(a, b): 3,200 at ten million samples. */
const TERMS_MAX = 200_000;

/** Continued fraction of I_x(a, b) by Lentz's method (DLMF 8.17.22). */
function betaFraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < TINY ? TINY : d);
  let fraction = d;
  for (let m = 1; m <= TERMS_MAX; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 + term * d;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      c = 1 + term / c;
      if (Math.abs(c) < TINY) c = TINY;
      step = d * c;
      fraction *= step;
    }
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return fraction;
}

/** Regularised incomplete beta function I_x(a, b), a and b > 0. */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(a, b, x)) / a
    : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** The x with I_x(a, b) = probability, by bisection in x to 1e-12 of itself. */
export function betaQuantile(probability: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const middle = (low + high) / 2;
    if (regularisedBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Quantile of Student's t, probability > 0.5: from the beta distribution of ν / (ν + t²). */
export function studentQuantile(probability: number, degrees: number): number {
  const x = betaQuantile(2 * (1 - probability), degrees / 2, 0.5);
  return Math.sqrt((degrees * (1 - x)) / x);
}

/** Quantile of χ² by Wilson and Hilferty (1931): within 1 % from three degrees of freedom on. */
export function chiSquareQuantile(zValue: number, degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + zValue * Math.sqrt(spread)) ** 3;
}
