/**
 * Conduit over a socket, as its published clients use it. It covers the requests and checks of the
 * RealWorld project's API collection, in its order and with its headers. It also covers what
 * browsers and front ends do: a media type without a body, preflights, `Token`, empty texts.
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { type ServedProcess, serveProcess } from "./serve-command.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document answers
  readonly json: any;
}

let served: ServedProcess;

/** Sends a request with exactly these headers. The body is sent unchanged. */
function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const sent = request(
      {
        port: served.port,
        host: "127.0.0.1",
        agent: false,
        method,
        path: `/api${path}`,
        headers: { ...headers, ...length },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends a request as the collection does: with both headers, with and without a body. */
function sendRequest(method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  return send(
    method,
    path,
    {
      "Content-Type": "application/json",
      "X-Requested-With": "XMLHttpRequest",
      ...(token === undefined ? {} : { Authorization: `Token ${token}` }),
    },
    body === undefined ? undefined : JSON.stringify(body),
  );
}

async function succeeds(status: number, requested: Promise<Answer>): Promise<Answer["json"]> {
  const answer = await requested;
  assert.equal(answer.status, status, answer.text);
  if (answer.text === "") return undefined;
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  return answer.json;
}

async function isRefused(
  status: number,
  errors: Readonly<Record<string, readonly string[]>>,
  requested: Promise<Answer>,
): Promise<void> {
  const { status: got, text } = await requested;
  assert.deepEqual({ status: got, body: JSON.parse(text) }, { status, body: { errors } });
}

const isoTime = /^\d{4,}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d+(?:[+-][0-2]\d:[0-5]\d|Z)$/;

function isUser(user: Record<string, unknown>): void {
  assert.deepEqual(Object.keys(user).toSorted(), ["bio", "email", "image", "token", "username"]);
  assert.match(String(user["token"]), /^[\w-]+\.[\w-]+\.[\w-]+$/);
}

function isProfile(profile: Record<string, unknown>, following: boolean): void {
  assert.deepEqual(Object.keys(profile).toSorted(), ["bio", "following", "image", "username"]);
  assert.equal(profile["following"], following);
}

/** Checks an article as the collection does. Lists omit its text since version 2 of the API. */
function isArticle(article: Record<string, unknown>, inList = false): void {
  assert.equal("body" in article, !inList);
  for (const name of ["title", "slug", "description"]) assert.equal(typeof article[name], "string", name);
  for (const name of ["createdAt", "updatedAt"]) assert.match(String(article[name]), isoTime);
  assert.deepEqual(article["tagList"], ["dragons", "training"]);
  assert.equal(typeof article["favorited"], "boolean");
  assert.ok(Number.isInteger(article["favoritesCount"]));
  isProfile(article["author"] as Record<string, unknown>, false);
}

function isList(body: Record<string, unknown>, count: number): void {
  assert.deepEqual(Object.keys(body).toSorted(), ["articles", "articlesCount"]);
  assert.equal(body["articlesCount"], count);
  for (const article of body["articles"] as Record<string, unknown>[]) isArticle(article, true);
}

before(async () => {
  served = await serveProcess("examples/conduit.md");
});
after(async () => {
  assert.ok(served.isRunning);
  await served.close();
});

const john = { email: "john@jacob.com", password: "johnnyjacob", username: "johnjacob" };
const celeb = { email: "celeb_john@jacob.com", password: "johnnyjacob", username: "celeb_johnjacob" };

describe("the published collection, in its order", () => {
  let token = "";
  let slug = "";
  let comment = 0;

  test("Auth: register, log in, current user, update user", async () => {
    isUser((await succeeds(201, sendRequest("POST", "/users", undefined, { user: john }))).user);
    const { email, password } = john;
    const { user } = await succeeds(
      200,
      sendRequest("POST", "/users/login", undefined, { user: { email, password } }),
    );
    isUser(user);
    token = user.token;
    isUser((await succeeds(200, sendRequest("GET", "/user", token))).user);
    isUser((await succeeds(200, sendRequest("PUT", "/user", token, { user: { email } }))).user);
  });

  test("Articles: empty lists, with and without a token", async () => {
    for (const path of [
      "/articles",
      "/articles?author=johnjacob",
      "/articles?favorited=jane",
      "/articles?tag=dragons",
    ]) {
      isList(await succeeds(200, sendRequest("GET", path)), 0);
      isList(await succeeds(200, sendRequest("GET", path, token)), 0);
    }
    isList(await succeeds(200, sendRequest("GET", "/articles/feed", token)), 0);
  });

  test("Articles: create, find, update", async () => {
    const sent = {
      title: "How to train your dragon",
      description: "Ever wonder how?",
      body: "Very carefully.",
      tagList: ["dragons", "training"],
    };
    const { article } = await succeeds(201, sendRequest("POST", "/articles", token, { article: sent }));
    isArticle(article);
    slug = article.slug;
    assert.equal(slug, "how-to-train-your-dragon");
    for (const path of ["/articles", `/articles?author=${john.username}`, "/articles?tag=dragons"]) {
      isList(await succeeds(200, sendRequest("GET", path)), 1);
      isList(await succeeds(200, sendRequest("GET", path, token)), 1);
    }
    isArticle((await succeeds(200, sendRequest("GET", `/articles/${slug}`))).article);
    isArticle((await succeeds(200, sendRequest("GET", `/articles/${slug}`, token))).article);
    const updated = await succeeds(
      200,
      sendRequest("PUT", `/articles/${slug}`, token, { article: { body: "With two hands" } }),
    );
    isArticle(updated.article);
    assert.equal(updated.article.body, "With two hands");
    assert.ok(updated.article.updatedAt >= article.updatedAt);
    assert.equal(updated.article.createdAt, article.createdAt);
  });

  test("Articles: favorite and unfavorite", async () => {
    const favorite = await succeeds(200, sendRequest("POST", `/articles/${slug}/favorite`, token));
    isArticle(favorite.article);
    assert.deepEqual([favorite.article.favorited, favorite.article.favoritesCount], [true, 1]);
    for (const requester of [undefined, token]) {
      const list = await succeeds(200, sendRequest("GET", `/articles?favorited=${john.username}`, requester));
      isList(list, 1);
      assert.equal(list.articles[0].favoritesCount, 1);
      assert.equal(list.articles[0].favorited, requester !== undefined);
    }
    const none = await succeeds(200, sendRequest("DELETE", `/articles/${slug}/favorite`, token));
    isArticle(none.article);
    assert.deepEqual([none.article.favorited, none.article.favoritesCount], [false, 0]);
  });

  test("Comments: create, list, delete", async () => {
    const isComment = (candidate: Record<string, unknown>) => {
      assert.deepEqual(Object.keys(candidate).toSorted(), ["author", "body", "createdAt", "id", "updatedAt"]);
      assert.equal(candidate["body"], "Thank you so much!");
      for (const name of ["createdAt", "updatedAt"]) assert.match(String(candidate[name]), isoTime);
      isProfile(candidate["author"] as Record<string, unknown>, false);
    };
    const body = { comment: { body: "Thank you so much!" } };
    const made = await succeeds(201, sendRequest("POST", `/articles/${slug}/comments`, token, body));
    isComment(made.comment);
    comment = made.comment.id;
    for (const requester of [undefined, token]) {
      const { comments } = await succeeds(200, sendRequest("GET", `/articles/${slug}/comments`, requester));
      assert.equal(comments.length, 1);
      isComment(comments[0]);
    }
    await succeeds(204, sendRequest("DELETE", `/articles/${slug}/comments/${comment}`, token));
    assert.deepEqual(await succeeds(200, sendRequest("GET", `/articles/${slug}/comments`)), { comments: [] });
  });

  test("Profiles: register a celebrity, look, follow and unfollow", async () => {
    await succeeds(201, sendRequest("POST", "/users", undefined, { user: celeb }));
    const path = `/profiles/${celeb.username}`;
    isProfile((await succeeds(200, sendRequest("GET", path, token))).profile, false);
    const body = { user: { email: celeb.email } };
    isProfile((await succeeds(200, sendRequest("POST", `${path}/follow`, token, body))).profile, true);
    isProfile((await succeeds(200, sendRequest("GET", path, token))).profile, true);
    isProfile((await succeeds(200, sendRequest("GET", path))).profile, false);
    isProfile((await succeeds(200, sendRequest("DELETE", `${path}/follow`, token))).profile, false);
  });

  test("Tags, and the article's end", async () => {
    assert.deepEqual(await succeeds(200, sendRequest("GET", "/tags")), { tags: ["dragons", "training"] });
    await succeeds(204, sendRequest("DELETE", `/articles/${slug}`, token));
    assert.deepEqual(await succeeds(200, sendRequest("GET", "/tags")), { tags: [] });
    await isRefused(404, { article: ["not found"] }, sendRequest("GET", `/articles/${slug}`, token));
  });
});

describe("other behaviour of clients", () => {
  let token = "";
  let other = "";

  before(async () => {
    const register = (username: string) => ({
      user: { username, email: `${username}@test.example`, password: "password123" },
    });
    token = (await succeeds(201, sendRequest("POST", "/users", undefined, register("ada")))).user.token;
    other = (await succeeds(201, sendRequest("POST", "/users", undefined, register("grace")))).user.token;
  });

  test("a media type without a body means no body, for every method", async () => {
    const headers = { "Content-Type": "application/json", Authorization: `Token ${token}` };
    await succeeds(200, send("GET", "/user", headers));
    await succeeds(200, send("GET", "/user", headers, ""));
    await succeeds(200, send("POST", "/profiles/grace/follow", headers));
    await succeeds(200, send("POST", "/profiles/grace/follow", headers, ""));
    await succeeds(
      200,
      send("DELETE", "/profiles/grace/follow", { ...headers, "Content-Type": "text/plain" }),
    );
    assert.equal((await send("POST", "/articles", headers, "")).status, 422);
  });

  test("pages of any origin send a preflight, for every method and header that they need", async () => {
    const page = "http://localhost:4100";
    for (const [method, path] of [
      ["POST", "/users/login"],
      ["PUT", "/user"],
      ["DELETE", "/articles/nothing"],
      ["POST", "/articles/nothing/favorite"],
    ] as const) {
      const preflight = await send("OPTIONS", path, {
        Origin: page,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,x-requested-with",
      });
      assert.equal(preflight.status, 204, preflight.text);
      assert.equal(preflight.headers["access-control-allow-origin"], "*");
      const methods = String(preflight.headers["access-control-allow-methods"]).split(", ");
      assert.ok(methods.includes(method), methods.join());
      const allowed = String(preflight.headers["access-control-allow-headers"]).toLowerCase();
      for (const name of ["authorization", "content-type", "x-requested-with"])
        assert.ok(allowed.includes(name), allowed);
    }
    const read = await send("GET", "/tags", { Origin: page });
    assert.equal(read.headers["access-control-allow-origin"], "*");
    // An error must be readable too, so that the page can report it.
    const refused = await send("GET", "/user", { Origin: page });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers["access-control-allow-origin"], "*");
  });

  test("the token follows `Token`, in any case, and no other scheme", async () => {
    for (const word of ["Token", "token", "TOKEN"])
      await succeeds(200, send("GET", "/user", { Authorization: `${word} ${token}` }));
    for (const value of [`Bearer ${token}`, token, `Token${token}`]) {
      const { status, json } = await send("GET", "/user", { Authorization: value });
      assert.equal(status, 401, value);
      assert.deepEqual(Object.keys(json.errors), ["token"]);
    }
    await isRefused(401, { token: ["is missing"] }, send("GET", "/user"));
    const [head, claims] = token.split(".");
    assert.equal((await sendRequest("GET", "/user", `${head}.${claims}.AAAA`)).status, 401);
    // An optional token must be valid, too.
    assert.equal((await sendRequest("GET", "/articles", "nonsense")).status, 401);
  });

  test("an empty text clears an optional field, and is rejected for a required one", async () => {
    const user = async (sent: object) =>
      (await succeeds(200, sendRequest("PUT", "/user", token, { user: sent }))).user;
    const filled = await user({ bio: "About me", image: "https://test.example/a.png" });
    assert.deepEqual([filled.bio, filled.image], ["About me", "https://test.example/a.png"]);
    const cleared = await user({ bio: "", image: "" });
    assert.deepEqual([cleared.bio, cleared.image], [null, null]);
    assert.equal((await user({ bio: "again" })).image, null);
    assert.equal((await user({ bio: null })).bio, null);
    for (const name of ["username", "email", "password"])
      for (const value of ["", null])
        await isRefused(
          422,
          { [name]: ["can't be blank"] },
          sendRequest("PUT", "/user", token, { user: { [name]: value } }),
        );
    assert.equal((await sendRequest("GET", "/user", token)).json.user.username, "ada");
  });

  test("all errors of a form are reported at once", async () => {
    const blank = ["can't be blank"];
    await isRefused(
      422,
      { username: blank, email: blank, password: blank },
      sendRequest("POST", "/users", undefined, { user: { username: "", email: "", password: "" } }),
    );
    await isRefused(
      422,
      { title: blank, description: blank, body: blank },
      sendRequest("POST", "/articles", token, { article: { title: "", description: "" } }),
    );
    await isRefused(
      409,
      { username: ["has already been taken"] },
      sendRequest("POST", "/users", undefined, {
        user: { username: "grace", email: "new@test.example", password: "password123" },
      }),
    );
    await isRefused(
      401,
      { credentials: ["invalid"] },
      sendRequest("POST", "/users/login", undefined, {
        user: { email: "ada@test.example", password: "wrong-password" },
      }),
    );
  });

  test("a form's new e-mail address and password are the ones to sign in with", async () => {
    await succeeds(
      200,
      sendRequest("PUT", "/user", other, { user: { email: "g@test.example", password: "newpass123" } }),
    );
    const login = (email: string, password: string) =>
      sendRequest("POST", "/users/login", undefined, { user: { email, password } });
    await succeeds(200, login("g@test.example", "newpass123"));
    assert.equal((await login("g@test.example", "password123")).status, 401);
    assert.equal((await login("grace@test.example", "newpass123")).status, 401);
  });

  test("only its author changes an article or deletes a comment", async () => {
    const sent = { title: "Mine", description: "d", body: "b" };
    const { article } = await succeeds(201, sendRequest("POST", "/articles", token, { article: sent }));
    const path = `/articles/${article.slug}`;
    const { comment } = await succeeds(
      201,
      sendRequest("POST", `${path}/comments`, token, { comment: { body: "c" } }),
    );
    const forbidden = (what: string) => ({ [what]: ["forbidden"] });
    await isRefused(403, forbidden("article"), sendRequest("PUT", path, other, { article: { body: "x" } }));
    await isRefused(403, forbidden("article"), sendRequest("DELETE", path, other));
    await isRefused(
      403,
      forbidden("comment"),
      sendRequest("DELETE", `${path}/comments/${comment.id}`, other),
    );
    for (const missing of ["/articles/none", "/articles/none/comments"])
      await isRefused(404, { article: ["not found"] }, sendRequest("GET", missing));
    await isRefused(404, { profile: ["not found"] }, sendRequest("POST", "/profiles/unknown/follow", other));
    await isRefused(401, { token: ["is missing"] }, sendRequest("POST", `${path}/favorite`));
    // A second article with that title has its own slug.
    const second = await succeeds(201, sendRequest("POST", "/articles", other, { article: sent }));
    assert.equal(second.article.slug, "mine-2");
  });

  test("a user who follows others has a feed, in pages, newest first", async () => {
    await succeeds(200, sendRequest("POST", "/profiles/ada/follow", other));
    for (const title of ["One", "Two", "Three"])
      await succeeds(
        201,
        sendRequest("POST", "/articles", token, { article: { title, description: "d", body: "b" } }),
      );
    const feed = await succeeds(200, sendRequest("GET", "/articles/feed?limit=2&offset=1", other));
    assert.deepEqual(
      feed.articles.map((article: { slug: string }) => article.slug),
      ["two", "one"],
    );
    assert.equal(feed.articlesCount, 4);
    for (const article of feed.articles) isProfile(article.author, true);
    await isRefused(401, { token: ["is missing"] }, sendRequest("GET", "/articles/feed"));
  });

  test("unknown keys are ignored, and a body that isn't JSON is rejected as such", async () => {
    const user = { email: "ada@test.example", password: "password123", remember: true };
    await succeeds(200, sendRequest("POST", "/users/login", undefined, { user, utm: "x" }));
    const broken = await send("POST", "/users/login", { "Content-Type": "application/json" }, "{");
    assert.ok(broken.status === 400 || broken.status === 422, broken.text);
    const typed = await send(
      "POST",
      "/users/login",
      { "Content-Type": "application/json; charset=UTF-8" },
      JSON.stringify({ user }),
    );
    assert.equal(typed.status, 200);
  });
});
