/**
 * The pages as Markdown, for language models and terminals, made from the HTML of the templates.
 * Pictures are left out, because the tables have the same content.
 */

interface Tag {
  readonly name: string;
  readonly classes: string;
  readonly href: string;
  readonly children: Node[];
}

type Node = string | Tag;

/** Void tags. */
const voids: readonly string[] = ["br", "hr", "img", "input", "meta", "link"];
/** Tags without text: pictures, and elements that only a browser can use. */
const skipped: readonly string[] = ["svg", "button", "script", "style", "input", "img"];
/** Tags whose content starts on a line of its own. */
const blocks: readonly string[] =
  "address article blockquote details div dl dd dt figure h1 h2 h3 h4 h5 h6 hr li main nav ol p pre section summary table ul".split(
    " ",
  );

/** The Markdown of HTML that templates have made, which is well formed. */
export function markdownOf(html: string): string {
  return `${blocksOf(treeOf(html)).join("\n\n")}\n`;
}

function treeOf(html: string): readonly Node[] {
  const root: Tag = { name: "", classes: "", href: "", children: [] };
  const open: Tag[] = [root];
  const top = (): Tag => open.at(-1) ?? root;
  for (const [piece] of html.matchAll(/<[^>]*>|[^<]+/g)) {
    const [, slash, name = "", attributes = ""] = /^<(\/?)([a-zA-Z][\w-]*)([^>]*)>$/.exec(piece) ?? [];
    if (name === "") top().children.push(plain(piece));
    else if (slash === "/") {
      if (open.length > 1 && top().name === name) open.pop();
    } else {
      const tag: Tag = {
        name,
        classes: attributeOf(attributes, "class"),
        href: attributeOf(attributes, "href"),
        children: [],
      };
      top().children.push(tag);
      if (!voids.includes(name) && !attributes.endsWith("/")) open.push(tag);
    }
  }
  return root.children;
}

function attributeOf(attributes: string, name: string): string {
  return plain(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity);
}

function isHidden({ name, classes }: Tag): boolean {
  return skipped.includes(name) || /\b(?:hidden-words|cards|needs-script)\b/.test(classes);
}

/** The blocks, each on lines of its own; text between blocks is a paragraph. */
function blocksOf(nodes: readonly Node[]): readonly string[] {
  const found: string[] = [];
  let words: Node[] = [];
  const endParagraph = () => {
    const text = inlineOf(words).trim();
    if (text !== "") found.push(text);
    words = [];
  };
  for (const node of nodes) {
    if (typeof node === "string" || !blocks.includes(node.name)) words.push(node);
    else if (!isHidden(node)) {
      endParagraph();
      found.push(...blockOf(node));
    }
  }
  endParagraph();
  return found;
}

function blockOf(tag: Tag): readonly string[] {
  const { name, children } = tag;
  if (/^h[1-6]$/.test(name)) return [`${"#".repeat(Number(name[1]))} ${inlineOf(children).trim()}`];
  switch (name) {
    case "p":
    case "dt":
      return nonEmpty(inlineOf(children).trim());
    case "summary":
      return nonEmpty(`**${inlineOf(children).trim()}**`);
    case "pre":
      return [fenced(textOf(children))];
    case "ul":
    case "ol":
      return nonEmpty(listOf(tagsOf(children, "li"), name === "ol"));
    case "dl":
      return nonEmpty(factsOf(children));
    case "table":
      return nonEmpty(tableOf(tag));
    case "blockquote":
      return [blocksOf(children).join("\n\n").replace(/^/gm, "> ")];
    case "hr":
      return ["---"];
    default:
      return blocksOf(children);
  }
}

function nonEmpty(text: string): readonly string[] {
  return text === "" || text === "****" ? [] : [text];
}

function fenced(text: string): string {
  const ticks = [...text.matchAll(/`{3,}/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), 3);
  return `${"`".repeat(ticks)}\n${text.replace(/\n$/, "")}\n${"`".repeat(ticks)}`;
}

function listOf(items: readonly Tag[], isNumbered: boolean): string {
  return items
    .map(({ children }, at) => {
      const mark = isNumbered ? `${at + 1}. ` : "- ";
      const parts = blocksOf(children);
      return mark + parts.join("\n\n").replaceAll(/\n(?=.)/g, `\n${" ".repeat(mark.length)}`);
    })
    .join("\n");
}

/** A description list: each term with its description. */
function factsOf(children: readonly Node[]): string {
  const lines: string[] = [];
  for (const tag of children.filter((node) => typeof node !== "string")) {
    if (tag.name === "dt") lines.push(`- **${inlineOf(tag.children).trim()}**:`);
    else if (tag.name === "dd") {
      const text = blocksOf(tag.children).join("\n").replaceAll("\n", "\n  ");
      const isList = /^(- |\d+\. )/.test(text);
      lines.push(`${lines.pop() ?? "-"}${isList ? "\n  " : " "}${text}`);
    }
  }
  return lines.join("\n");
}

function tableOf(table: Tag): string {
  const rows = descendants(table, "tr").map((row) =>
    row.children
      .filter((node) => typeof node !== "string")
      .map(({ children }) => inlineOf(children).trim().replace(/\s+/g, " ").replaceAll("|", "\\|")),
  );
  const [head = [], ...body] = rows;
  if (head.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

function descendants(tag: Tag, name: string): readonly Tag[] {
  return tag.children.flatMap((node) => {
    if (typeof node === "string" || isHidden(node)) return [];
    return node.name === name ? [node] : descendants(node, name);
  });
}

function tagsOf(nodes: readonly Node[], name: string): readonly Tag[] {
  return nodes.filter((node) => typeof node !== "string").filter((node) => node.name === name);
}

/** Runs of text on one line; blocks within them are separated by a blank. */
function inlineOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node.replace(/\s+/g, " ");
      if (isHidden(node)) return "";
      const inner = inlineOf(node.children);
      switch (node.name) {
        case "code":
          return inlineCode(textOf(node.children));
        case "strong":
        case "b":
          return `**${inner}**`;
        case "em":
        case "i":
          return `*${inner}*`;
        case "a":
          return inner === "" || /^(?:#|$)/.test(node.href) ? inner : `[${inner}](${linkOf(node.href)})`;
        case "br":
          return " ";
        default:
          return blocks.includes(node.name) ? ` ${inner} ` : inner;
      }
    })
    .join("");
}

function inlineCode(text: string): string {
  if (text === "") return "";
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}

/**
 * The link to the Markdown of another page of the site, without an anchor; addresses elsewhere are
 * kept.
 */
function linkOf(href: string): string {
  return href.replace(/^([^:/#]+)\.html(?:#.*)?$/, "$1.md");
}
