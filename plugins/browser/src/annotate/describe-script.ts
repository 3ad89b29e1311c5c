/**
 * A function that runs in an isolated world with an element as `this`. Returns its selector within its document or
 * shadow root, joined by ` >>> ` for each shadow root around it, and what the element says of itself; `null` for an
 * element that was removed.
 *
 * A page can give the elements of a form, and the document, members of any name, in isolated worlds too. So all members
 * are those of the prototypes. Generated ids and classes are avoided, since they change with the next build. A selector
 * is tried from the element upwards until it matches nothing else; no library does this in bounded time within one
 * function, which is all that can be sent to a page.
 */
export const DESCRIBE_SCRIPT = `function (limits, styleNames) {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const parentOf = getter(Node, "parentElement");
  const previousOf = getter(Element, "previousElementSibling");
  const tagOf = getter(Element, "localName");
  const typeOf = getter(Node, "nodeType");
  const hostOf = getter(ShadowRoot, "host");
  const classesOf = getter(Element, "classList");
  const rootOf = (node) => Node.prototype.getRootNode.call(node);
  const attributeOf = (node, name) => Element.prototype.getAttribute.call(node, name) ?? "";
  const isOnly = (root, css, node) => {
    const type = typeOf(root) === 9 ? Document : DocumentFragment;
    const found = type.prototype.querySelectorAll.call(root, css);
    return found.length === 1 && found[0] === node;
  };

  // What Gantry shows and stores must be the selector that was tried, so characters that it would drop are not used.
  const isPlain = (text) => /^[\\p{L}\\p{N}\\p{P}\\p{S} ]{1,80}$/u.test(text);
  const isGenerated = (name) =>
    name.length > 40 ||
    /\\d{3,}|[a-f\\d]{6,}|^(css|sc|jsx|svelte|radix)-|^[:«]|__[\\w-]{5,}$|^_\\w+_/u.test(name);
  const isStable = (name) => isPlain(name) && !isGenerated(name);
  const quote = (name, value) => "[" + name + '="' + CSS.escape(value) + '"]';

  const placeOf = (node) => {
    const tag = tagOf(node);
    const isNamed = isPlain(tag);
    let place = 1;
    for (let other = previousOf(node); other; other = previousOf(other))
      if (!isNamed || tagOf(other) === tag) place++;
    return isNamed ? CSS.escape(tag) + ":nth-of-type(" + place + ")" : ":nth-child(" + place + ")";
  };
  const namesOf = (node) => {
    const tag = isPlain(tagOf(node)) ? CSS.escape(tagOf(node)) : "";
    const pick = (names, start, fits) =>
      names.flatMap((name) => {
        const value = attributeOf(node, name);
        return fits(value) ? [start + quote(name, value)] : [];
      });
    const id = attributeOf(node, "id");
    return [
      ...pick(["data-testid", "data-test", "data-cy"], "", isPlain),
      ...(isStable(id) ? ["#" + CSS.escape(id)] : []),
      ...pick(["name", "aria-label", "placeholder", "alt", "href"], tag, isPlain),
      ...(tag === "" ? [] : [tag]),
      ...[...classesOf(node)].slice(0, 8).filter((name) => isStable(name) && !/[:/[]/u.test(name))
        .map((name) => tag + "." + CSS.escape(name)),
      ...pick(["role", "type"], tag, isPlain),
    ];
  };
  const selectorOf = (element, root) => {
    let steps = "";
    let node = element;
    for (let level = 0; node && level < limits.levels; level++) {
      for (const name of [...namesOf(node), placeOf(node)])
        if (isOnly(root, name + steps, element)) return name + steps;
      steps = " > " + placeOf(node) + steps;
      node = parentOf(node);
    }
    // Only what is deeper than the limit is not found by this.
    return (node ? "" : ":host") + steps;
  };

  // '::before' and the like belong to the element that they are drawn in. Newer versions of Chromium have objects of another kind for them.
  const elementOf = (node) => {
    if (globalThis.CSSPseudoElement && node instanceof CSSPseudoElement)
      return getter(CSSPseudoElement, "element")(node);
    return tagOf(node).startsWith("::") ? parentOf(node) : node;
  };
  const element = elementOf(this);
  const parts = [];
  for (let node = element; node; ) {
    const root = rootOf(node);
    const type = typeOf(root);
    if (type !== 9 && type !== 11) return null;
    parts.unshift(selectorOf(node, root));
    node = type === 11 ? hostOf(root) : null;
  }
  const isHtml = element instanceof HTMLElement;
  const said = (isHtml ? getter(HTMLElement, "innerText") : getter(Node, "textContent"))(element).trim();
  const named = ["aria-label", "alt", "placeholder", "title"].map((name) => attributeOf(element, name));
  const computed = getComputedStyle(element);
  const id = attributeOf(element, "id");
  return {
    selector: parts.join(" >>> "),
    // Not the value of a field, which may be a password.
    text: (said || named.find((text) => text !== "") || "").slice(0, limits.text),
    label: tagOf(element).slice(0, 40) + (isStable(id) ? "#" + id : ""),
    styles: styleNames.flatMap((name) => {
      const value = computed.getPropertyValue(name);
      return value === "" ? [] : [{ name, value: value.slice(0, limits.style) }];
    }),
  };
}`;
