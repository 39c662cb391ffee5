/**
 * The pages of the documentation site: the repository's own Markdown as it is, and what those pages
 * link to. A linked file that is no Markdown becomes a page with its text, and a linked folder a
 * page that lists its files and folders.
 */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import markdownIt from "markdown-it";
import { edition } from "./edition.ts";

const { root } = edition;

/** Pages for readers, in the order of their first question. */
const written = [
  "README.md",
  "CHANGELOG.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/**/*.md",
  "examples/**/*.md",
] as const;

export interface SitePage {
  /** Its path in the site's folder, with the extension `.md`. */
  readonly path: string;
  readonly text: string;
  /** The file or folder of the repository that it shows. */
  readonly source: string;
}

/** All pages of the site. */
export function sitePages(): readonly SitePage[] {
  return reachedPaths()
    .filter((path) => !isShownAsItIs(path))
    .map((path) => ({ path: pageOf(path), text: pageText(path), source: path }));
}

/** Files that pages show or offer unchanged: images and schemas. */
export function siteFiles(): readonly string[] {
  return reachedPaths().filter(isShownAsItIs);
}

/**
 * Pages for readers, and everything that they lead to: linked files and folders, and the files of
 * those folders.
 */
function reachedPaths(): readonly string[] {
  const reached = new Set(written.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted());
  // Iteration over a set includes elements that are added meanwhile.
  for (const path of reached)
    for (const target of targetsOf(path)) reached.add(isFolder(target) ? folderPageOf(target) : target);
  return [...reached];
}

/** The page of a folder is its own README, if it has one. */
function folderPageOf(folder: string): string {
  const own = `${folder}/README.md`;
  return existsSync(join(root, own)) ? own : folder;
}

/**
 * The page of the site for a file or folder of the repository.
 * @param path from the repository's root
 */
export function pageOf(path: string): string {
  if (path.endsWith("README.md")) return path.replace(/README\.md$/, "index.md");
  if (path.endsWith(".md")) return path;
  return isFolder(path) ? `${path}/index.md` : `${path}.md`;
}

/**
 * Where a link leads in the site.
 * @param page the path of the page that has the link, in the site
 * @param target as the page writes it
 * @returns the link to write, which is the given one if it leads to another site or within its page
 */
export function siteLink(page: string, target: string): string {
  if (/^[a-z]+:|^#|^\/\//.test(target)) return target;
  const [, anchor] = target.split("#");
  const path = pathOfTarget(page, target);
  if (!existsSync(join(root, path)) || isShownAsItIs(path)) return target;
  const link = posix.relative(posix.dirname(page), pageOf(path));
  return anchor === undefined ? link : `${link}#${anchor}`;
}

/**
 * The anchor of a heading, in the form that code hosts generate.
 * @param heading its text
 */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

const markdown = markdownIt({ html: true });

/** The files and folders of this repository that a page links to or shows. */
function targetsOf(path: string): readonly string[] {
  if (isShownAsItIs(path) || (!path.endsWith(".md") && !isFolder(path))) return [];
  return markdown
    .parse(pageText(path), {})
    .flatMap((token) => token.children ?? [])
    .flatMap((token) => [token.attrGet("href"), token.attrGet("src")])
    .filter((target) => typeof target === "string" && !/^[a-z]+:|^#|^\/\//.test(target))
    .map((target) => pathOfTarget(isFolder(path) ? `${path}/index.md` : path, String(target)))
    .filter((target) => existsSync(join(root, target)));
}

/** Relative to the repository's root. */
function pathOfTarget(page: string, target: string): string {
  return posix.join(posix.dirname(page), decodeURI(target.replace(/#.*/, ""))).replace(/\/$/, "");
}

/** The page for a file that isn't Markdown, or for a folder. */
function pageText(path: string): string {
  if (path.endsWith(".md")) return textOf(path);
  if (isFolder(path)) {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    const lines = entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => `- [${entry.name}${entry.isDirectory() ? "/" : ""}](./${entry.name})\n`);
    return `# ${path}\n\n${lines.join("")}`;
  }
  return `# ${path}\n\n~~~~${languageOf(path)}\n${textOf(path)}~~~~\n`;
}

function languageOf(path: string): string {
  const ending = posix.extname(path).slice(1);
  if (["ts", "js", "json", "yaml"].includes(ending)) return ending;
  return path.endsWith("Dockerfile") ? "dockerfile" : "text";
}

function isShownAsItIs(path: string): boolean {
  return /\.(png|svg|json)$/.test(path);
}

function isFolder(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
