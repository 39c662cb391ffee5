/**
 * Plans at random: timed transitions, what these bring about (fields, records made, changed, deleted and moved on, `immediately`, events,
 * notices, records of deliveries, record rules, quotas) and what is seen of it. Documents are of all kinds: those in which each record is for
 * itself, and those in which everything hangs together.
 */
import type { Draw } from "../../simulation/draw.ts";
import {
  type DocumentPlan,
  type Name,
  type ResourcePlan,
  resourceNames,
  type TransitionPlan,
} from "./documents.ts";

const states = ["new", "ripe", "old"] as const;

export function drawPlan(draw: Draw): DocumentPlan {
  return new DrawnPlan(draw).plan();
}

class DrawnPlan {
  readonly #draw: Draw;
  /** The percentage of related resources. */
  readonly #far: number;
  readonly #targets: ReadonlyMap<Name, Readonly<Record<"one" | "two", Name>>>;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#far = draw.below(3) * 45 + 5;
    const target = () => draw.oneOf(resourceNames);
    this.#targets = new Map(resourceNames.map((name) => [name, { one: target(), two: target() }]));
  }

  plan(): DocumentPlan {
    const { below, happens, oneOf } = this.#draw;
    const [Ant, Bee, Cat, Dog] = resourceNames.map((name) => this.#resource(name)) as [
      ResourcePlan,
      ResourcePlan,
      ResourcePlan,
      ResourcePlan,
    ];
    const hasHooks = this.#isFar(60);
    const kept = happens(60) ? { kept: oneOf(["hook.n", "Ant.count()", "Delivery.count()"]) } : {};
    // Two references to the same resource would be ambiguous.
    const ways = this.#ways();
    const quota = oneOf(
      ways.filter(({ name, way, to }) =>
        ways.every((reference) => reference.name !== name || reference.way === way || reference.to !== to),
      ),
    );
    return {
      resources: { Ant, Bee, Cat, Dog },
      requested: resourceNames,
      ...(hasHooks ? { hooks: { when: oneOf(["hook.n >= 0", "hook.n > Cat.count()"]), ...kept } } : {}),
      ...(this.#isFar(50) ? { notices: oneOf(["Bee.count()", "1", "Notice.count()"]) } : {}),
      ping: this.#isFar(60) ? "Dog.count()" : "1",
      events: resourceNames.flatMap((name) => this.#events(name)),
      ...(quota && happens(25)
        ? { quota: `| stored | ${6 + below(10)} ${quota.name} per ${quota.to} where \`this.n > 0\` | |` }
        : {}),
    };
  }

  #isFar(percent = 100): boolean {
    return this.#draw.happens((this.#far * percent) / 100);
  }

  #ways() {
    return resourceNames.flatMap((name) =>
      (["one", "two"] as const).map((way) => ({ name, way, to: this.#to(name, way) })),
    );
  }

  #to(name: Name, way: "one" | "two"): Name {
    return this.#targets.get(name)?.[way] as Name;
  }

  #resource(name: Name): ResourcePlan {
    const { below, happens, oneOf } = this.#draw;
    const onDelete = () => oneOf(["on delete clear", "on delete cascade", "on delete clear", ""]);
    const rules = () => (happens(80) ? onDelete() : "");
    return {
      items: [
        ...(happens(15) ? [`- Visible: \`${this.#condition(name)}\``] : []),
        ...(happens(12) ? [`- Always: \`this.n < ${8 + below(30)}\``] : []),
        ...(this.#isFar(20) ? [`- Always: \`${this.#condition(name)} || this.n >= 0\``] : []),
        ...(happens(15) ? [`- Kept: ${20 + below(60)} minutes after ${oneOf(["due_at", "made_at"])}`] : []),
        ...(happens(10) ? ["- Deleted: marked"] : []),
      ],
      n: oneOf(["0", "1", this.#isFar(50) ? `${oneOf(resourceNames)}.count()` : "2"]),
      isTagUnique: happens(60),
      one: { to: this.#to(name, "one"), rules: rules() },
      two: { to: this.#to(name, "two"), rules: rules() },
      twice: this.#isFar()
        ? oneOf(["this.n * 2", "this.one.n + 1", `${oneOf(resourceNames)}.count(x, x.n > 1)`])
        : "this.n * 2",
      changed: oneOf(["", "", "old.n", this.#isFar(60) ? "this.two.n" : ""]),
      initial: happens(85) ? "new" : "ripe",
      transitions: this.#transitions(name),
      ...(happens(50) ? { shown: '`{"id": this.id, "n": this.n, "far": this.one.n}`' } : {}),
    };
  }

  #transitions(name: Name): readonly TransitionPlan[] {
    const { below, happens, oneOf } = this.#draw;
    const linesOf = (trigger: string, effects: number) => {
      const lines = Array.from({ length: effects }, () => this.#effect(name));
      if (trigger === "immediately" || happens(35)) lines.unshift(`- Guard: \`${this.#condition(name)}\``);
      return lines;
    };
    const ripens = happens(75) ? oneOf(["at due_at", `after ${5 + below(20)} minutes`]) : "call";
    const ages = oneOf([`after ${3 + below(20)} minutes`, "call", "immediately"]);
    return [
      { name: "ripen", from: "new", to: "ripe", trigger: ripens, lines: linesOf(ripens, below(3)) },
      { name: "age", from: "ripe", to: "old", trigger: ages, lines: linesOf(ages, below(2)) },
      { name: "back", from: "old", to: "new", trigger: "call", lines: linesOf("call", below(2)) },
    ];
  }

  /** A numeric expression over `this`, its references, or a whole resource. */
  #number(name: Name, depth = 0): string {
    const { below, oneOf } = this.#draw;
    const way = oneOf(["one", "two"] as const);
    if (!this.#isFar()) return oneOf(["this.n", "this.n * 2", String(below(5))]);
    return oneOf([
      () => String(below(5)),
      () => "this.n",
      () => "this.n",
      () => `this.${way}.n`,
      () => `this.${way}.twice`,
      () => `this.twice`,
      () => `this.${way}.one.n`,
      () => `${oneOf(resourceNames)}.count(x, x.status == "${oneOf(states)}")`,
      () => `${this.#to(name, way)}.count(x, x.n > ${below(4)})`,
      () => (depth > 0 ? "this.n" : `(${this.#number(name, 1)}) + ${this.#number(name, 1)}`),
    ])();
  }

  #condition(name: Name): string {
    const { below, oneOf } = this.#draw;
    const way = oneOf(["one", "two"]);
    if (!this.#isFar())
      return oneOf([`this.n > ${below(3)}`, `this.n != ${below(4)}`, `this.tag != "tag 1"`]);
    return oneOf([
      () => `${this.#number(name)} > ${below(3)}`,
      () => `${this.#number(name)} < ${2 + below(4)}`,
      () => `this.${way} == null || this.${way}.status == "${oneOf(states)}"`,
      () => `${oneOf(resourceNames)}.exists(x, x.n == ${below(3)})`,
      () => `this.n != ${below(4)}`,
    ])();
  }

  /** An expression over a candidate, without quadratic cost. */
  #ofCandidate(): string {
    const { below, oneOf } = this.#draw;
    return oneOf([`this.n == ${below(4)}`, `this.status == "${oneOf(states)}"`, `this.one.n == ${below(3)}`]);
  }

  #effect(name: Name): string {
    const { below, happens, oneOf } = this.#draw;
    const way = oneOf(["one", "two"]);
    const other = oneOf(resourceNames);
    const made = oneOf([
      ...this.#ways().filter((reference) => reference.to === name),
      { name: other, way: "n", to: name } as const,
    ]);
    const when = happens(25) ? ` when ${this.#condition(name)}` : "";
    const near = [
      "n = this.n + 1",
      "seen_at = now",
      "tag = null",
      `due_at = now + duration("${5 + below(30)}m")`,
      "send ping",
    ];
    if (!this.#isFar()) return `- Effect: \`${oneOf(near)}${when}\``;
    const assignment = oneOf([
      () => `n = ${this.#number(name)}`,
      ...near.map((text) => () => text),
      () => `${way} = null`,
      () => `${way}.n = ${this.#number(name)}`,
      () => `${way}.seen_at = now`,
      () =>
        `create ${made.name} with ${made.way === "n" ? "" : `${made.way} = this, `}n = ${this.#number(name)}`,
      () => `create ${other} with n = ${below(4)}`,
      () => `update ${other} where ${this.#ofCandidate()} set n = this.n + 1`,
      () => `delete ${other} where ${this.#ofCandidate()}`,
      () => `do back on ${other} where this.status == "old" && ${this.#ofCandidate()}, first 1 by id`,
    ])();
    return `- Effect: \`${assignment}${when}\``;
  }

  #events(name: Name): readonly string[] {
    const { happens, oneOf } = this.#draw;
    const small = name.toLowerCase();
    const payload = () => oneOf([name, `\`{"n": this.n}\``, `\`{"n": ${this.#number(name)}}\``]);
    const reported = () => this.#condition(name).replaceAll("||", "\\|\\|");
    return [
      ...(happens(40) ? [`| ${small}.ripe | ${name} becomes ripe | ${payload()} |`] : []),
      ...(happens(25)
        ? [`| ${small}.updated | ${name} updated when \`${reported()}\` | ${payload()} |`]
        : []),
      ...(happens(15) ? [`| ${small}.gone | ${name} deleted | \`{"n": this.n}\` |`] : []),
    ];
  }
}
