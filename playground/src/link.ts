/**
 * Sharing links: the text of the document, compressed, in the fragment, which no server receives.
 */

const mark = "#document=";

/** Maximum length of a fragment: mail and chat programs cut off longer addresses. */
const fragmentMax = 30_000;

/** Whether an address has the mark of a document, which may be damaged. */
export const carriesDocument = (fragment: string): boolean => fragment.startsWith(mark);

/** The fragment for a text; undefined if it would be too long for a link. */
export async function fragmentOf(text: string): Promise<string | undefined> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const fragment = mark + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return fragment.length > fragmentMax ? undefined : fragment;
}

/** The text of a fragment; undefined if it has none, or if it is damaged. */
export async function textOfFragment(fragment: string): Promise<string | undefined> {
  if (!fragment.startsWith(mark)) return undefined;
  try {
    const binary = atob(fragment.slice(mark.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  } catch {
    return undefined;
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
