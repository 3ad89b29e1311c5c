import { describe, expect, test } from "vitest";
import { suggestConversions } from "../../src/language/suggest-conversions.ts";
import { findToken } from "../../ui/composer/findToken.ts";
import { rankSnippets } from "../../ui/composer/rankSnippets.ts";
import { toChoices } from "../../ui/import/toChoices.ts";

describe("/snip: in a text", () => {
  const at = (marked: string) =>
    findToken(marked.replace("|", ""), marked.indexOf("|"));

  test("is found from its slash on, with what follows it", () => {
    expect(at("/snip:|")).toEqual({ from: 0, to: 6, query: "" });
    expect(at("see /snip:rev| now")).toEqual({ from: 4, to: 13, query: "rev" });
    // What is behind the cursor belongs to the slug too.
    expect(at("/snip:re|view now")).toEqual({ from: 0, to: 12, query: "re" });
    expect(at("/snip:a /snip:b|")).toMatchObject({ from: 8, query: "b" });
  });

  test("ends at white space, and is nothing before it is whole", () => {
    expect(at("/snip|:")).toBeUndefined();
    expect(at("|/snip:a")).toBeUndefined();
    expect(at("/snip:a |")).toBeUndefined();
    expect(at("/snip:a\n|")).toBeUndefined();
    expect(at("nothing|")).toBeUndefined();
    expect(at(`/snip:${"x".repeat(200)}|`)).toBeUndefined();
  });
});

test("what is called so comes before what only mentions it", () => {
  const items = [
    { slug: "mentions", title: "Mentions it" },
    { slug: "deep-review", title: "Deep" },
    { slug: "other", title: "Review of others" },
    { slug: "review-all", title: "All" },
    { slug: "review", title: "One" },
  ];
  expect(rankSnippets(items, "Review").map(({ slug }) => slug)).toEqual([
    "review",
    "review-all",
    "other",
    "deep-review",
    "mentions",
  ]);
  expect(rankSnippets(items, "")).toEqual(items);
});

test("what stands several times in a prompt is one choice with all its places", () => {
  const text = "[NAME] and ORDER_NUMBER and [NAME]";
  expect(toChoices(suggestConversions(text))).toMatchObject([
    { text: "[NAME]", name: "name", places: [{ from: 0 }, { from: 28 }] },
    { text: "ORDER_NUMBER", name: "order_number", places: [{ from: 11 }] },
  ]);
});
