/** What planning works with: the model, its words, the store, and the plans of resources made so far. */
import { compileFunction, compileMixed, readsStore } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldOptions } from "../../fields/field-reader.ts";
import type { Model } from "../../model/model.ts";
import type { Store, WireForm, WriteOptions } from "../../store/store.ts";
import { after, type Awaitable, collectInTurn } from "../../support/awaitable.ts";
import type { HandlerModule } from "../handlers/module.ts";
import { type Witness, witnessed } from "../observing/witness.ts";
import type { Moves } from "../observing/moves.ts";
import type { Ports } from "../ports.ts";
import type { Tokens } from "../tokens.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Evaluate, Scene } from "../records/scene.ts";
import { flush } from "../records/change.ts";
import type { VersionView } from "../versions/view.ts";

export interface PlanContext {
  readonly model: Model;
  readonly meaning: Meaning;
  readonly store: Store;
  readonly ports: Ports;
  readonly wire: WireForm;
  readonly tokens: Tokens;
  /** The author's own code beside the document; absent where none was loaded. */
  readonly handlers?: HandlerModule;
  /** Who is told what the document's rules do; absent but in runs of scenarios that measure it. */
  readonly witness?: Witness;
  /** The older version whose names answers and inputs have; absent for the current one. */
  readonly view?: VersionView;
  /**
   * How works are written that ask the document's expressions, and call no handler. Where these may call functions of the author's module,
   * nobody knows what those leave elsewhere: such works are not done again.
   */
  readonly writing: WriteOptions;
  /** Somebody is told of each request, and of what decided its answer. */
  readonly isObserved: boolean;
  /** How texts and JSON of requests are read by their types. */
  readonly reading: FieldOptions;
  /** What the default of a part of an object or of a value gives; it sees no record. */
  partDefault(expression: Expression): Value;
  /** Tells which states records leave and come to. */
  readonly moves: Moves;
  /** The plan of a resource, made when first asked for. */
  resource(name: string): ResourcePlan;
}

/** Makes an expression ready to be asked in a scene: a function, with prepared queries for what it reads from the store. */
export function evaluateOf(context: PlanContext, expression: Expression | Node): Evaluate {
  if (!("node" in expression)) return evaluateNode(context, expression);
  const evaluate = evaluateNode(context, expression.node);
  return context.witness ? witnessed(expression, evaluate, context.witness) : evaluate;
}

function evaluateNode(context: PlanContext, node: Node): Evaluate {
  const { meaning, store } = context;
  if (!readsStore(node, meaning)) {
    const compiled = compileFunction(node, meaning);
    return Object.assign((scene: Scene) => compiled(scene.frame), { readsStore: false });
  }
  const mixed = compileMixed(node, meaning);
  const queries = mixed.queries.map((query) => store.prepareValue(query));
  const evaluate = (scene: Scene): Awaitable<Value> =>
    after(flush(scene), () => {
      const asked = collectInTurn(queries, (query) => scene.work.session.value(query, scene.frame));
      return after(asked, (results) => mixed.evaluate(scene.frame, results));
    });
  return Object.assign(evaluate, { readsStore: true });
}
