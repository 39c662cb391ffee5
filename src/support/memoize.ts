/**
 * A function of texts that remembers its last answers. Two generations, the elder dropped as a whole, so that remembering costs no more
 * than two lookups and takes no more than twice so many texts.
 */
export function memoize<T extends string | object | null>(
  work: (text: string) => T,
  most: number,
): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (text) => {
    const known = young.get(text);
    if (known !== undefined) return known;
    const answer = old.get(text) ?? work(text);
    if (young.size >= most) {
      old = young;
      young = new Map();
    }
    young.set(text, answer);
    return answer;
  };
}
