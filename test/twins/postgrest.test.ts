/** `examples/twins/postgrest.md`, driven by Supabase's own client of PostgREST. */
import assert from "node:assert/strict";
import { after, beforeEach, before, describe, test } from "node:test";
import { PostgrestClient } from "@supabase/postgrest-js";
import { serveTwin, type Twin } from "./serve-twin.ts";

interface Country {
  code: string;
  name: string;
  continent: string | null;
  population: number | null;
  area: number | null;
  landlocked: boolean;
  founded: string | null;
  languages: string[];
}

type Database = {
  public: {
    Tables: {
      countries: { Row: Country; Insert: Partial<Country>; Update: Partial<Country>; Relationships: [] };
    };
    Views: Record<string, never>;
    Functions: Record<string, never>;
  };
};

const rows: readonly Partial<Country>[] = [
  {
    code: "NL",
    name: "Netherlands",
    continent: "Europe",
    population: 18_000_000,
    area: 41.5,
    languages: ["nl", "fy"],
  },
  {
    code: "SE",
    name: "Sweden",
    continent: "Europe",
    population: 10_600_000,
    area: 450.3,
    founded: "1523-06-06",
    languages: ["sv"],
  },
  {
    code: "CH",
    name: "Switzerland",
    continent: "Europe",
    population: 8_900_000,
    landlocked: true,
    languages: ["de", "fr", "it", "rm"],
  },
  {
    code: "BO",
    name: "Bolivia, a state",
    continent: "South America",
    population: 12_200_000,
    landlocked: true,
    founded: "1825-08-06",
  },
  { code: "AQ", name: "Antarctica", continent: null, population: null },
  { code: "NR", name: "Nauru (100%)", continent: "Oceania", population: 12_000, languages: ["na", "en"] },
];

describe("the published PostgREST client can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let client: PostgrestClient<Database>;
  const table = () => client.from("countries");
  const codesOf = ({ data, error }: { data: readonly { code: string }[] | null; error: unknown }) => {
    assert.equal(error, null);
    return data?.map(({ code }) => code).join(" ");
  };

  before(async () => {
    twin = await serveTwin("postgrest", ['Key with key = "anon"']);
    client = new PostgrestClient<Database>(twin.origin, {
      headers: { apikey: "anon", Authorization: "Bearer anon" },
    });
  });
  beforeEach(async () => {
    assert.equal((await table().delete().neq("code", "")).status, 204);
    for (const row of rows) assert.equal((await table().insert(row)).status, 201);
  });
  after(() => twin.close());

  test("rows and columns are selected", async () => {
    const { data, error, status, statusText } = await table().select("code, name").eq("code", "NL");
    assert.deepEqual(
      { data, error, status, statusText },
      {
        data: [{ code: "NL", name: "Netherlands" }],
        error: null,
        status: 200,
        statusText: "OK",
      },
    );
    const { data: whole } = await table().select().eq("code", "SE");
    assert.deepEqual(whole, [
      {
        code: "SE",
        name: "Sweden",
        continent: "Europe",
        population: 10_600_000,
        area: 450.3,
        landlocked: false,
        founded: "1523-06-06",
        languages: ["sv"],
      },
    ]);
  });

  test("comparisons, and what they mean for null", async () => {
    const select = () => table().select("code").order("code");
    assert.equal(codesOf(await select().eq("continent", "Europe")), "CH NL SE");
    assert.equal(codesOf(await select().neq("continent", "Europe")), "BO NR");
    assert.equal(codesOf(await select().gt("population", 12_200_000)), "NL");
    assert.equal(codesOf(await select().gte("population", 12_200_000)), "BO NL");
    assert.equal(codesOf(await select().lt("population", 8_900_000)), "NR");
    assert.equal(codesOf(await select().lte("population", 8_900_000)), "CH NR");
    assert.equal(codesOf(await select().gte("population", 8_900_000).lt("population", 12_200_000)), "CH SE");
    assert.equal(codesOf(await select().lt("founded", "1800-01-01")), "SE");
    assert.equal(codesOf(await select().gt("area", 41.5)), "SE");
    assert.equal(codesOf(await select().is("population", null)), "AQ");
    assert.equal(codesOf(await select().not("population", "is", null)), "BO CH NL NR SE");
    assert.equal(codesOf(await select().is("landlocked", true)), "BO CH");
    assert.equal(codesOf(await select().not("population", "gt", 9_000_000)), "CH NR");
    assert.equal(codesOf(await select().in("code", ["NL", "BO", "XX"])), "BO NL");
    assert.equal(codesOf(await select().in("name", ["Bolivia, a state", "Sweden"])), "BO SE");
    assert.equal(codesOf(await select().not("code", "in", "(NL,BO)")), "AQ CH NR SE");
    assert.equal(codesOf(await select().match({ continent: "Europe", landlocked: true })), "CH");
    assert.equal(codesOf(await select().contains("languages", ["fr", "it"])), "CH");
    assert.equal(codesOf(await select().filter("population", "not.eq", 12_000)), "BO CH NL SE");
  });

  test("patterns", async () => {
    const select = () => table().select("code").order("code");
    assert.equal(codesOf(await select().like("name", "S%")), "CH SE");
    assert.equal(codesOf(await select().like("name", "s%")), "");
    assert.equal(codesOf(await select().ilike("name", "%LAND%")), "CH NL");
    assert.equal(codesOf(await select().like("name", "_w%")), "CH SE");
    assert.equal(codesOf(await select().like("name", "%(100\\%)")), "NR");
    assert.equal(codesOf(await select().not("name", "like", "%e%")), "AQ NR".replace("AQ NR", "AQ NR"));
    assert.equal(codesOf(await select().filter("name", "match", "^[NS].*s$")), "NL");
    assert.equal(codesOf(await select().filter("name", "imatch", "^SWE")), "SE");
  });

  test("groups of conditions", async () => {
    const select = () => table().select("code").order("code");
    assert.equal(codesOf(await select().or("code.eq.NL,population.is.null")), "AQ NL");
    assert.equal(
      codesOf(await select().or("and(continent.eq.Europe,landlocked.is.true),population.lt.20000")),
      "CH NR",
    );
    assert.equal(codesOf(await select().or('name.eq."Bolivia, a state",code.in.(SE,CH)')), "BO CH SE");
    assert.equal(codesOf(await select().or("not.and(continent.eq.Europe,population.gt.1)")), "BO NR");
    assert.equal(
      codesOf(await select().or("population.not.lt.12200000,code.eq.NR").neq("code", "NL")),
      "BO NR",
    );
  });

  test("orders, pages and counts", async () => {
    const ordered = async (column: keyof Country, options: { ascending?: boolean; nullsFirst?: boolean }) =>
      codesOf(await table().select("code").order(column, options).order("code"));
    assert.equal(await ordered("population", { ascending: true }), "NR CH SE BO NL AQ");
    assert.equal(await ordered("population", { ascending: false }), "AQ NL BO SE CH NR");
    assert.equal(await ordered("population", { ascending: false, nullsFirst: false }), "NL BO SE CH NR AQ");
    assert.equal(await ordered("landlocked", { ascending: false }), "BO CH AQ NL NR SE");
    const page = await table()
      .select("code", { count: "exact" })
      .not("population", "is", null)
      .order("code")
      .range(1, 2);
    assert.deepEqual([codesOf(page), page.count, page.status], ["CH NL", 5, 206]);
    const all = await table().select("code", { count: "exact" }).limit(10);
    assert.deepEqual([all.data?.length, all.count, all.status], [6, 6, 200]);
    const none = await table().select("code", { count: "exact" }).eq("code", "XX");
    assert.deepEqual([none.data, none.count, none.status], [[], 0, 200]);
    const head = await table().select("*", { count: "exact", head: true }).eq("continent", "Europe");
    assert.deepEqual([head.data, head.count, head.error], [null, 3, null]);
    assert.equal((await table().select("code")).count, null);
  });

  test("one row is an object, and none or several are an error", async () => {
    const { data } = await table().select("name").eq("code", "NL").single();
    assert.deepEqual(data, { name: "Netherlands" });
    const none = await table().select().eq("code", "XX").single();
    assert.deepEqual(
      [none.status, none.error?.code, none.error?.details],
      [406, "PGRST116", "The result contains 0 rows"],
    );
    const several = await table().select().eq("continent", "Europe").single();
    assert.equal(several.error?.details, "The result contains 3 rows");
    assert.equal((await table().select().eq("code", "XX").maybeSingle()).data, null);
    assert.equal((await table().select("name").eq("code", "SE").maybeSingle()).data?.name, "Sweden");
  });

  test("a row is inserted, and upserted by its key", async () => {
    const row = { code: "LI", name: "Liechtenstein", landlocked: true };
    const plain = await table().insert(row);
    assert.deepEqual([plain.status, plain.data, plain.error], [201, null, null]);
    const again = await table().insert(row);
    assert.deepEqual([again.status, again.error?.code], [409, "23505"]);
    const shown = await table().insert({ code: "MC", name: "Monaco" }).select();
    assert.deepEqual(
      shown.data?.map(({ code, landlocked, languages }) => [code, landlocked, languages]),
      [["MC", false, []]],
    );
    const single = await table().insert({ code: "SM", name: "San Marino" }).select("code").single();
    assert.deepEqual([single.status, single.data], [201, { code: "SM" }]);
    const changed = await table()
      .upsert({ code: "MC", name: "Monaco", population: 39_000 }, { onConflict: "code" })
      .select();
    assert.deepEqual([changed.status, changed.data?.[0]?.population], [200, 39_000]);
    const made = await table().upsert({ code: "AD", name: "Andorra" }).select("name").single();
    assert.deepEqual([made.status, made.data], [201, { name: "Andorra" }]);
  });

  test("rows are changed and deleted by filters", async () => {
    const quiet = await table()
      .update({ continent: "Eurasia" })
      .eq("continent", "Europe")
      .lt("population", 10_000_000);
    assert.deepEqual([quiet.status, quiet.data], [204, null]);
    assert.equal(codesOf(await table().select("code").eq("continent", "Eurasia")), "CH");
    const shown = await table().update({ population: 0 }).is("population", null).select("code, population");
    assert.deepEqual(shown.data, [{ code: "AQ", population: 0 }]);
    assert.deepEqual((await table().update({ population: 1 }).eq("code", "XX").select()).data, []);
    assert.equal((await table().delete().or("code.eq.NL,code.eq.SE")).status, 204);
    assert.equal(codesOf(await table().select("code").order("code")), "AQ BO CH NR");
    const returned = await table().delete().eq("code", "AQ").select();
    assert.deepEqual([returned.status, returned.error?.code], [400, "PGRST127"]);
    assert.equal(codesOf(await table().select("code").eq("code", "AQ")), "AQ");
  });

  test("what can't be read is an error, and selects nothing", async () => {
    const failed = async (
      request: PromiseLike<{ error: { code: string; message: string } | null; status: number }>,
    ) => {
      const { error, status } = await request;
      return [status, error?.code, error?.message];
    };
    const unreadable = 'The filter is not readable: "between.1".';
    assert.deepEqual(await failed(table().select().filter("population", "between", "1")), [
      400,
      "PGRST100",
      unreadable,
    ]);
    assert.deepEqual(await failed(table().select().or("code.eq.NL,(")), [
      400,
      "PGRST100",
      'The filter is not readable: "(code.eq.NL,()".',
    ]);
    const [status, code, message] = await failed(
      table()
        .select()
        .eq("population", "many" as never),
    );
    assert.deepEqual([status, code], [400, "PGRST100"]);
    assert.match(String(message), /^The filter has "population", which must be an integer/);
    const [, hidden, which] = await failed(table().select().or("touched_by.not.is.null"));
    assert.equal(hidden, "PGRST100");
    assert.match(String(which), /^The filter has "touched_by", and must be of code, name/);
    assert.deepEqual(
      (
        await failed(
          table()
            .select()
            .eq("touched_by" as never, "x" as never),
        )
      ).slice(0, 2),
      [400, "PGRST204"],
    );
    assert.deepEqual((await failed(table().select("code, capital" as never))).slice(0, 2), [400, "42703"]);
    assert.deepEqual(
      (
        await failed(
          table()
            .select()
            .order("touched_by" as never),
        )
      ).slice(0, 2),
      [400, "PGRST100"],
    );
    assert.deepEqual((await failed(table().insert({ code: "XY" }))).slice(0, 2), [400, "23502"]);
    assert.deepEqual((await failed(table().insert({ code: "XY", name: "x", population: -1 }))).slice(0, 2), [
      400,
      "22P02",
    ]);
    assert.deepEqual(
      (
        await failed(
          table()
            .delete()
            .eq("touched_by" as never, "x" as never),
        )
      ).slice(0, 2),
      [400, "PGRST204"],
    );
    const stranger = new PostgrestClient(twin.origin, { headers: { apikey: "wrong" } });
    assert.deepEqual((await failed(stranger.from("countries").select())).slice(0, 2), [401, "PGRST301"]);
    assert.equal((await table().select("*", { count: "exact", head: true })).count, rows.length);
  });
});
