/**
 * Replacement for `node:test` in test files that run against mutants. It has the same functions,
 * but records the tests. They can then run as often as requested, all or single ones, one after
 * another, up to the first failure.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { mock as nodeMock } from "node:test";

type Work = (context: Context, done?: () => void) => unknown;
type Options = { readonly skip?: boolean | string; readonly todo?: boolean | string };
type Hooks = Record<"before" | "after" | "beforeEach" | "afterEach", Work[]>;

interface Test {
  readonly title: string;
  readonly work: Work;
  /** From the file's own suite inwards. */
  readonly suites: readonly Suite[];
}

interface Suite {
  readonly title: string;
  readonly hooks: Hooks;
  /**
   * Tests and suites in the order of their declaration, however long a suite takes to declare its
   * own.
   */
  readonly says: (Test | Suite)[];
}

/** Everything that a file has declared when it is loaded. */
export interface Collected {
  readonly file: Suite;
  readonly tests: readonly Test[];
}

/** Mocks of one test, which end with it, as `node:test` ends them. */
const newMock = () => new (nodeMock.constructor as new () => typeof nodeMock)();

const noHooks = (): Hooks => ({ before: [], after: [], beforeEach: [], afterEach: [] });
const noSuite = (title: string): Suite => ({ title, hooks: noHooks(), says: [] });
/** The suites around the current declaration, from the file's own inwards. */
const suites = new AsyncLocalStorage<readonly Suite[]>();
/** Suites that wait before they declare more. */
let pending: unknown[] = [];
/** The hooks of the running test. */
let running: Hooks | undefined;

/** @returns the declarations made while it is loaded */
export async function collect(load: () => Promise<unknown>): Promise<Collected> {
  const file = noSuite("");
  pending = [];
  await suites.run([file], load);
  while (pending.length > 0) await Promise.all(pending.splice(0));
  return { file, tests: testsOf(file) };
}

function testsOf({ says }: Suite): readonly Test[] {
  return says.flatMap((entry) => ("says" in entry ? testsOf(entry) : [entry]));
}

function around(): readonly Suite[] {
  return suites.getStore() ?? [];
}

function read(args: readonly unknown[]): { title: string; options: Options; work?: Work } {
  const title = args.find((arg) => typeof arg === "string") ?? "";
  const work = args.find((arg): arg is Work => typeof arg === "function");
  const options = args.find((arg): arg is Options => typeof arg === "object" && arg !== null) ?? {};
  return { title, options, ...(work ? { work } : {}) };
}

function addTest(...args: unknown[]): Promise<void> {
  const { title, options, work } = read(args);
  const isLeftOut = (options.skip ?? false) !== false || (options.todo ?? false) !== false;
  const outer = around();
  const full = [...outer.map((suite) => suite.title).filter(Boolean), title].join(" > ");
  if (!isLeftOut && work) outer.at(-1)?.says.push({ title: full, work, suites: outer });
  return Promise.resolve();
}

function addSuite(...args: unknown[]): Promise<void> {
  const { title, options, work } = read(args);
  if ((options.skip ?? false) !== false || !work) return Promise.resolve();
  const outer = around();
  const own = noSuite(title);
  outer.at(-1)?.says.push(own);
  pending.push(suites.run([...outer, own], () => work(contextOf(title, noHooks()))));
  return Promise.resolve();
}

const nothing = () => Promise.resolve();
const withWays = (add: typeof addTest) => Object.assign(add, { skip: nothing, todo: nothing, only: add });
export const test = withWays(addTest);
export const it = test;
export const describe = withWays(addSuite);
export const suite = describe;
export const mock = nodeMock;

const addHook = (kind: keyof Hooks) => (work: Work) => {
  (running ?? around().at(-1)?.hooks)?.[kind].push(work);
};
export const before = addHook("before");
export const after = addHook("after");
export const beforeEach = addHook("beforeEach");
export const afterEach = addHook("afterEach");
export default test;

interface Context extends Record<keyof Hooks, (work: Work) => void> {
  readonly name: string;
  readonly fullName: string;
  readonly signal: AbortSignal;
  readonly mock: typeof nodeMock;
  readonly diagnostic: () => void;
  readonly skip: () => void;
  readonly todo: () => void;
  test(...args: unknown[]): Promise<void>;
}

function contextOf(name: string, hooks: Hooks): Context {
  const add = (kind: keyof Hooks) => (work: Work) => {
    hooks[kind].push(work);
  };
  return {
    name,
    fullName: name,
    signal: new AbortController().signal,
    mock: newMock(),
    before: add("before"),
    after: add("after"),
    beforeEach: add("beforeEach"),
    afterEach: add("afterEach"),
    diagnostic: () => undefined,
    skip: () => undefined,
    todo: () => undefined,
    async test(...args) {
      const { title, work } = read(args);
      if (!work) return;
      const own = noHooks();
      const context = contextOf(title, own);
      try {
        await called(work, context);
      } finally {
        for (const hook of own.after) await hook(context);
        context.mock.reset();
      }
    },
  };
}

async function called(work: Work, context: Context): Promise<void> {
  if (work.length < 2) await work(context);
  else
    await new Promise<void>((resolve, reject) => {
      work(context, ((error?: unknown) => (error == null ? resolve() : reject(error))) as () => void);
    });
}

export interface TestResult {
  readonly title: string;
  readonly error?: unknown;
}

/**
 * @param chosen indexes in `tests`, in the order in which they run; all if absent
 * @param around called around each test
 * @returns what failed, which may be a hook; undefined if nothing failed
 */
export async function runCollected(
  { file, tests }: Collected,
  chosen: readonly number[] | undefined,
  around: (place: number, run: () => Promise<void>) => Promise<void>,
  stopsAtFirst: boolean,
): Promise<readonly TestResult[]> {
  const failed: TestResult[] = [];
  const started = new Set<Suite>();
  const guarded = async (title: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      failed.push({ title, error });
      return false;
    }
  };
  const context = contextOf(file.title, file.hooks);
  for (const place of chosen ?? tests.keys()) {
    const test = tests[place];
    if (!test) continue;
    let isReady = true;
    for (const around of test.suites.filter((suite) => !started.has(suite))) {
      started.add(around);
      for (const hook of around.hooks.before)
        isReady &&= await guarded(test.title, () => called(hook, context));
    }
    if (isReady) await guarded(test.title, () => around(place, () => runOne(test)));
    if (failed.length > 0 && stopsAtFirst) break;
  }
  for (const done of [...started].reverse())
    for (const hook of done.hooks.after) await guarded(`after ${done.title}`, () => called(hook, context));
  nodeMock.reset();
  return failed;
}

async function runOne({ title, work, suites: around }: Test): Promise<void> {
  const hooks = noHooks();
  const context = contextOf(title, hooks);
  running = hooks;
  try {
    for (const { hooks: own } of around) for (const hook of own.beforeEach) await called(hook, context);
    await called(work, context);
  } finally {
    running = undefined;
    for (const hook of hooks.after) await called(hook, context);
    for (const { hooks: own } of around.toReversed())
      for (const hook of own.afterEach) await called(hook, context);
    context.mock.reset();
  }
}
