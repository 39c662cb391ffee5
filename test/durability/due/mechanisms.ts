/**
 * Plans in which a timed transition reaches other records by a single mechanism. In larger plans,
 * another rule may hide what one rule of the due scope forgets; here none can. The roles of the
 * four resources and the numbers are drawn.
 */
import type { Draw } from "../../simulation/draw.ts";
import {
  type DocumentPlan,
  type Name,
  type ResourcePlan,
  resourceNames,
  type TransitionPlan,
} from "./documents.ts";

/**
 * The role of each resource: `a` has timed transitions, they reach `b`, and through it `c`; `d` is
 * unaffected.
 */
interface Cast {
  readonly draw: Draw;
  readonly a: Name;
  readonly b: Name;
  readonly c: Name;
  readonly d: Name;
}

/** The differences from a document without effects of time. */
type Mechanism = (cast: Cast) => Partial<Omit<DocumentPlan, "resources" | "requested">> & {
  readonly resources: Partial<Record<Name, Partial<ResourcePlan>>>;
};

export const mechanisms: Readonly<Record<string, Mechanism>> = {
  "its own record": ({ draw, a }) => ({ resources: { [a]: timed(draw, effect("n = this.n + 1")) } }),
  "what it assigns": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect(`n = ${b}.count(x, x.n > 1)`)) },
  }),
  "what it reads by a reference": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw, effect("n = this.one.n")), one: { to: b } } },
  }),
  "a computed field": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw, effect("n = this.twice")), twice: `${b}.count(x, x.n > 1)` } },
  }),
  "an assignment through a reference": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw, effect("one.n = this.n")), one: { to: b } } },
  }),
  "the condition of an effect": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect(`n = this.n + 1 when ${b}.exists(x, x.n == ${draw.below(3)})`)) },
  }),
  "a guard": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, guard(`${b}.exists(x, x.n == ${draw.below(3)})`)) },
  }),
  "a guard by a reference": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw, guard(`this.one.n > ${draw.below(3)}`)), one: { to: b } } },
  }),
  "what time does to others": ({ draw, a, b }) => ({
    resources: {
      [a]: timed(draw, effect(`n = ${b}.count(x, x.status == "ripe")`)),
      [b]: timed(draw),
    },
  }),
  "records made": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect(`create ${b} with n = this.n`)) },
  }),
  "what records are made of": ({ draw, a, b, c }) => ({
    resources: {
      [a]: timed(draw, effect(`create ${b} with one = this`)),
      [b]: { n: `${c}.count(x, x.n > 1)`, one: { to: a, rules: "on delete cascade" } },
    },
  }),
  "records changed": ({ draw, a, b }) => ({
    resources: {
      [a]: timed(draw, effect(`update ${b} where this.n == ${draw.below(3)} set n = this.n + 1`)),
    },
  }),
  "records deleted": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect(`delete ${b} where this.n == ${draw.below(3)}`)) },
  }),
  "records moved on": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect(`do ripen on ${b} where this.n == ${draw.below(3)}`)) },
  }),
  "what moves others on at once": ({ draw, a, b }) => ({
    resources: {
      [a]: timed(draw, effect("n = this.n + 1")),
      [b]: {
        initial: "ripe",
        transitions: transitions({
          trigger: "immediately",
          of: "age",
          lines: [guard(`${a}.exists(x, x.status == "ripe")`)],
        }),
      },
    },
  }),
  "what is kept for a time": ({ draw, a }) => ({ resources: { [a]: kept(draw) } }),
  "a cascade": ({ draw, a, b }) => ({
    resources: { [a]: kept(draw), [b]: { one: { to: a, rules: "on delete cascade" } } },
  }),
  "a cascade in a chain": ({ draw, a, b, c }) => ({
    resources: {
      [a]: kept(draw),
      [b]: { one: { to: a, rules: "on delete cascade" } },
      [c]: { one: { to: b, rules: "on delete cascade" } },
    },
  }),
  "references that are cleared": ({ draw, a, b }) => ({
    resources: { [a]: kept(draw), [b]: { one: { to: a, rules: "on delete clear" } } },
  }),
  "what a cleared reference brings about": ({ draw, a, b, c }) => ({
    resources: {
      [a]: kept(draw),
      [b]: { one: { to: a, rules: "on delete clear" }, changed: `${c}.count(x, x.n > 1)` },
    },
  }),
  "a unique value that is given back": ({ draw, a }) => ({
    resources: { [a]: { ...timed(draw, effect("tag = null")), isTagUnique: true } },
  }),
  "a unique value that goes with its record": ({ draw, a }) => ({
    resources: { [a]: { ...kept(draw), isTagUnique: true } },
  }),
  "what is set with every change": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw), changed: `${b}.count(x, x.n > 1)` } },
  }),
  "a record rule": ({ draw, a, b }) => ({
    resources: {
      [a]: { ...timed(draw, effect("n = this.n + 1")), items: [`- Always: \`this.n < ${b}.count() + 2\``] },
    },
  }),
  "a quota": ({ draw, a, b }) => ({
    resources: { [a]: { ...timed(draw, effect("n = 0")), one: { to: b } } },
    quota: `| stored | 2 ${a} per ${b} where \`this.n > 0\` | |`,
  }),
  "whom an input may refer to": ({ draw, a, b }) => ({
    resources: {
      [a]: { ...timed(draw, effect("n = this.n + 1")), items: ["- Visible: `this.n < 3`"] },
      [b]: { one: { to: a } },
    },
  }),
  "what is shown of a record that is referred to": ({ draw, a, b }) => ({
    resources: {
      [a]: timed(draw, effect("n = this.n + 1")),
      [b]: { one: { to: a }, shown: '`{"id": this.id, "far": this.one.n}`' },
    },
  }),
  "who is seen, by what it refers to": ({ draw, a, b }) => ({
    resources: {
      [a]: timed(draw, effect("n = this.n + 1")),
      [b]: { one: { to: a }, items: ["- Visible: `this.one == null || this.one.n < 3`"] },
    },
  }),
  "what an event says": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw) },
    events: [`| ${a.toLowerCase()}.ripe | ${a} becomes ripe | \`{"n": ${b}.count(x, x.n > 1)}\` |`],
  }),
  "what an event says on a condition": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect("n = this.n + 1")) },
    events: [
      `| ${a.toLowerCase()}.updated | ${a} updated when \`${b}.exists(x, x.n == 1)\` | \`{"n": this.n}\` |`,
    ],
  }),
  "what is sent": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect("send ping")) },
    ping: `${b}.count(x, x.n > 1)`,
  }),
  "what an event says, kept as a notice": ({ draw, a }) => ({
    resources: { [a]: timed(draw, effect("send ping")) },
    notices: "1",
  }),
  "what a notice is made of": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect("send ping")) },
    notices: `${b}.count(x, x.n > 1)`,
  }),
  "who receives it": ({ draw, a, b }) => ({
    resources: { [a]: timed(draw, effect("send ping")) },
    hooks: { when: `hook.n > ${b}.count(x, x.n > 1)` },
  }),
  "who receives it, kept as a delivery": ({ draw, a }) => ({
    resources: { [a]: timed(draw, effect("send ping")) },
    hooks: { when: "hook.n >= 0", kept: "hook.n" },
  }),
};

/** @param name of a mechanism */
export function drawMechanism(draw: Draw, name: string): DocumentPlan {
  const left = [...resourceNames];
  const next = () => left.splice(draw.below(left.length), 1)[0] as Name;
  const cast: Cast = { draw, a: next(), b: next(), c: next(), d: next() };
  const { resources, ...rest } = (mechanisms[name] as Mechanism)(cast);
  const still: ResourcePlan = {
    items: [],
    n: "1",
    one: { to: cast.d },
    two: { to: cast.d },
    twice: "this.n * 2",
    initial: "new",
    transitions: transitions(),
  };
  const of = (name: Name): ResourcePlan => ({ ...still, ...resources[name] });
  const { a, b, c } = cast;
  return {
    requested: c in resources ? [a, b, c] : [a, b],
    resources: { Ant: of("Ant"), Bee: of("Bee"), Cat: of("Cat"), Dog: of("Dog") },
    ping: "1",
    events: [],
    ...rest,
  };
}

/** A resource with repeated timed transitions: it ripens, ages and starts again. */
function timed(draw: Draw, ...lines: readonly string[]): Partial<ResourcePlan> {
  const trigger = draw.oneOf(["at due_at", `after ${5 + draw.below(20)} minutes`]);
  const [ripen, age, back] = transitions({ trigger, of: "ripen", lines });
  const again = { ...back, name: "again", trigger: "after 4 minutes" };
  return { transitions: [ripen, { ...age, trigger: "after 3 minutes" }, back, again] };
}

function kept(draw: Draw): Partial<ResourcePlan> {
  return { items: [`- Kept: ${20 + draw.below(40)} minutes after made_at`] };
}

/** The transitions to ripe, old and new; one may be replaced. */
function transitions(other?: { readonly of: string } & Pick<TransitionPlan, "trigger" | "lines">) {
  const called = (name: string, from: string, to: string): TransitionPlan => {
    const { trigger, lines } = other?.of === name ? other : { trigger: "call", lines: [] };
    return { name, from, to, trigger, lines };
  };
  return [
    called("ripen", "new", "ripe"),
    called("age", "ripe", "old"),
    called("back", "old", "new"),
  ] as const;
}

const effect = (text: string) => `- Effect: \`${text}\``;
const guard = (text: string) => `- Guard: \`${text}\``;
