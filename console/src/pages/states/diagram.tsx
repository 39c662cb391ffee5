/**
 * State diagram of a resource. The service has computed the layout; this file draws boxes with
 * their numbers of records, and arrows with how often they were fired. The tables below have the
 * same content as text.
 */
import type { ComponentChildren, VNode } from "preact";
import type {
  PlacedBox,
  PlacedLabel,
  PlacedLine,
  PlacedState,
  StateLayout,
} from "../../../../src/outputs/diagrams/state-layout.ts";
import type { ResourceStates } from "../../../../src/admin/api/records/states.ts";
import { navigate, parameter } from "../../routing/address.ts";
import { numberText, t } from "../../words/words.ts";
import { firedCounts } from "./flow.ts";
import { linkToRecords, linkToTransition } from "./links.ts";

const margin = 8;

/** A picture that is wider than the screen is scaled down as far as this, and scrolls beyond it. */
const scaleMin = 0.75;

export function Diagram({
  resource,
  layout,
}: {
  readonly resource: ResourceStates;
  readonly layout: StateLayout;
}): VNode {
  const { width, height, states, lines, begin, any } = layout;
  const [wide, high] = [width + 2 * margin, height + 2 * margin];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="diagram" tabIndex={0} aria-label={t("states.diagram", { resource: resource.name })}>
      <svg
        viewBox={`${-margin} ${-margin} ${wide} ${high}`}
        width={wide}
        style={{ minWidth: `${wide * scaleMin}px` }}
        role="presentation"
      >
        {lines.map((line, at) => (
          <Line key={at} line={line} isBusy={isBusy(resource, line)} />
        ))}
        {begin && <circle cx={begin.x} cy={begin.y} r={7} class="begin" />}
        {any && <Box box={any} name={t("states.anyState")} shape="any" />}
        {states.map((state) => (
          <State key={state.name} resource={resource} state={state} />
        ))}
        {lines.flatMap(({ labels }, line) =>
          labels.map((label) => (
            <Label key={`${line} ${label.arrow.transition}`} resource={resource} label={label} />
          )),
        )}
      </svg>
    </section>
  );
}

function isBusy(resource: ResourceStates, { labels }: PlacedLine): boolean {
  return labels.some(
    ({ arrow: { transition, from, to } }) => firedCounts(resource, transition, { from, to }).minute > 0,
  );
}

function State({
  resource,
  state,
}: {
  readonly resource: ResourceStates;
  readonly state: PlacedState;
}): VNode {
  const { name, final } = state;
  const count = resource.counts === null ? undefined : (resource.counts.states[name] ?? 0);
  const words =
    count === undefined
      ? t("states.recordsInUnknown", { state: name })
      : t("states.recordsIn", { state: name, count });
  return (
    <PictureLink to={linkToRecords(resource, name)} label={words}>
      <Box
        box={state}
        name={name}
        shape={final ? "final" : ""}
        below={count === undefined ? "…" : numberText(count)}
      />
    </PictureLink>
  );
}

function Box({
  box: { x, y, width, height },
  name,
  shape,
  below,
}: {
  readonly box: PlacedBox;
  readonly name: string;
  readonly shape: string;
  readonly below?: string;
}): VNode {
  // A final state has two outlines, as in standard state diagrams.
  const insets = shape === "final" ? [0, 3] : [0];
  return (
    <g class={`box ${shape}`}>
      {insets.map((inset) => (
        <rect
          key={inset}
          x={x - width / 2 + inset}
          y={y - height / 2 + inset}
          width={width - 2 * inset}
          height={height - 2 * inset}
          rx={8 - inset}
        />
      ))}
      <text x={x} y={below === undefined ? y : y - 8} class="name">
        {name}
      </text>
      {/* A space between two words, for screen readers. */}{" "}
      {below !== undefined && (
        <text x={x} y={y + 11} class="count">
          {below}
        </text>
      )}
    </g>
  );
}

function Label({
  resource,
  label,
}: {
  readonly resource: ResourceStates;
  readonly label: PlacedLabel;
}): VNode {
  const { transition, from, to } = label.arrow;
  const { minute, hour } = firedCounts(resource, transition, { from, to });
  const visible = flowText(minute, hour);
  const isSelected = parameter("transition") === transition;
  return (
    <PictureLink
      to={linkToTransition(resource, transition)}
      label={t("states.takenHint", { transition: `${label.text}${visible}`, minute, hour })}
    >
      <text x={label.x - label.width / 2 + 6} y={label.y} class={`label ${isSelected ? "is-chosen" : ""}`}>
        {label.text}
        {hour > 0 && <tspan class={minute > 0 ? "flow is-busy" : "flow"}>{visible}</tspan>}
      </text>
    </PictureLink>
  );
}

/** The count of the last minute with a full circle, or else of the last hour with an empty one. */
function flowText(minute: number, hour: number): string {
  if (hour === 0) return "";
  return minute > 0 ? ` ● ${numberText(minute)}` : ` ○ ${numberText(hour)}`;
}

/** A link in an SVG picture, which browser events treat differently from links of the page. */
function PictureLink({
  to,
  label,
  children,
}: {
  readonly to: string;
  readonly label: string;
  readonly children: ComponentChildren;
}): VNode {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}

function Line({ line, isBusy }: { readonly line: PlacedLine; readonly isBusy: boolean }): VNode | null {
  const { points, end } = line;
  const [first, ...rest] = points;
  const last = points.at(-1);
  if (!first || !last) return null;
  return (
    <g class={`line ${isBusy ? "is-busy" : ""}`}>
      <path d={`M${first.x} ${first.y}C${rest.map(({ x, y }) => `${x} ${y}`).join(" ")}`} />
      {end && <path d={headOf(last, end)} class="head" />}
    </g>
  );
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

function headOf(from: Spot, to: Spot): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const corner = (side: number) =>
    `${(to.x - 9 * dx + side * 4 * dy).toFixed(1)} ${(to.y - 9 * dy - side * 4 * dx).toFixed(1)}`;
  return `M${to.x} ${to.y}L${corner(1)}L${corner(-1)}Z`;
}
