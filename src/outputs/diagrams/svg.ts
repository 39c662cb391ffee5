/**
 * SVG of laid-out diagrams, styled by classes alone: the page sets the colours, in light and dark
 * mode. For keyboard users a picture is a group of links, and its text alternative is the table
 * next to it.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Layout, Point } from "./layout.ts";

/** The link of a box's or arrow's name; undefined for a name without a link. */
export type LinkOf = (name: string) => string | undefined;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
  /** The description for screen readers: `States of Parcel`. */
  readonly title: string;
  /** The prefix of ids, which are unique in the page. */
  readonly id: string;
}

const margin = 8;

export function svgText({ width, height, body, title, id }: Drawing): string {
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  return (
    `<svg class="diagram" role="group" aria-labelledby="${escapeXml(id)}-title" viewBox="${box}" ` +
    `width="${width + 2 * margin}" height="${height + 2 * margin}" xmlns="http://www.w3.org/2000/svg">` +
    `<title id="${escapeXml(id)}-title">${escapeXml(title)}</title>${body}</svg>`
  );
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

export function linkTo(body: string, href: string | undefined): string {
  return href === undefined ? body : `<a href="${escapeXml(href)}">${body}</a>`;
}

/** A box around a spot; `shape` is its class. */
export function boxSvg(spot: Point, width: number, height: number, shape: string): string {
  const inset = (by: number) =>
    `<rect x="${tenth(spot.x - width / 2 + by)}" y="${tenth(spot.y - height / 2 + by)}" ` +
    `width="${width - 2 * by}" height="${height - 2 * by}" rx="${Math.min(8, height / 2) - by}" class="${shape}"/>`;
  // A final state has two outlines, as in standard state diagrams.
  return shape.includes("final") ? inset(0) + inset(3) : inset(0);
}

export function textSvg(spot: Point, text: string, shape: string): string {
  return `<text x="${tenth(spot.x)}" y="${tenth(spot.y)}" class="${shape}">${escapeXml(text)}</text>`;
}

/** A line along its points, and the arrow's head at its end. */
export function lineSvg({ points, end }: Layout["lines"][number], shape: string): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const curve = rest.map(({ x, y }) => `${x} ${y}`).join(" ");
  const path = `<path d="M${first.x} ${first.y}C${curve}" class="${shape}"/>`;
  const last = nonNull(points.at(-1));
  return end ? path + headSvg(last, end) : path;
}

function headSvg(from: Point, to: Point): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const corner = (side: number) =>
    `${tenth(to.x - 9 * dx + side * 4 * dy)} ${tenth(to.y - 9 * dy - side * 4 * dx)}`;
  return `<path d="M${to.x} ${to.y}L${corner(1)}L${corner(-1)}Z" class="head"/>`;
}

function tenth(number: number): number {
  return Math.round(number * 10) / 10;
}

/**
 * The width of a text in the page's monospaced font of that size in pixels, wide enough for any
 * such font.
 */
export function textWidth(text: string, fontPx: number): number {
  return [...text].length * fontPx * 0.62;
}
