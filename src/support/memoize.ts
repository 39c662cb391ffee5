/**
 * Memoization of a function of texts, with bounded memory. It has two generations and drops the
 * older one as a whole, so a lookup costs at most two map reads and memory is at most twice the
 * limit.
 */
export function memoize<T extends string | object | null>(
  work: (text: string) => T,
  max: number,
): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (text) => {
    const known = young.get(text);
    if (known !== undefined) return known;
    const answer = old.get(text) ?? work(text);
    if (young.size >= max) {
      old = young;
      young = new Map();
    }
    young.set(text, answer);
    return answer;
  };
}
