import { FINDER_SOURCE } from "./finder-source.ts";

/**
 * Runs in the isolated world with the element as `this`. Skips ids and classes that a build tool generated, since they
 * differ after the next build. A selector cannot cross a shadow root: there is one for each root, joined by `>>>`.
 */
const DESCRIBE = `function (maxText, maxHtml) {
  const element = this.nodeType === 1 ? this : this.parentElement ?? document.documentElement;
  const isMadeUp = (name) => /\\d{3,}|[a-f0-9]{6,}|^(css|sc|jsx|svelte)-|^:r|^radix-|__[A-Za-z0-9_-]{5,}$|^_[A-Za-z0-9]+_/.test(name) || name.length > 40;
  const stable = new Set(["data-testid", "data-test", "name", "aria-label", "role", "type", "placeholder", "href"]);
  const options = {
    idName: (name) => !isMadeUp(name),
    className: (name) => !isMadeUp(name) && !/[:[\\/]/.test(name),
    attr: (name, value) => stable.has(name) && value.length < 60,
    timeoutMs: 200,
  };
  const parts = [];
  for (let node = element; node; ) {
    const root = node.getRootNode();
    let one = null;
    try { one = gantryFinder(node, { ...options, root: root instanceof ShadowRoot ? root : document.documentElement }); } catch {}
    if (one === null || root.querySelectorAll(one).length !== 1) {
      const path = [];
      for (let step = node; step && step.parentNode; step = step.parentElement)
        path.unshift(step.localName + ":nth-child(" + ([...step.parentNode.children].indexOf(step) + 1) + ")");
      one = path.join(" > ");
    }
    parts.unshift(one);
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return {
    selector: parts.join(" >>> "),
    text: (element.innerText ?? element.textContent ?? "").trim().slice(0, maxText),
    label: element.localName + (element.id && !isMadeUp(element.id) ? "#" + element.id : ""),
    html: element.outerHTML.slice(0, maxHtml),
    url: location.href,
    title: document.title,
  };
}`;

/** The function as an expression that contains the selector generator. */
export const DESCRIBE_SCRIPT = `function (...values) { const gantryFinder = (() => { ${FINDER_SOURCE}\nreturn finder; })(); return (${DESCRIBE}).apply(this, values); }`;
