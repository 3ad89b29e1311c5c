import { page } from "./escape-row.ts";
import type { EscapeRow, Stop } from "./escape-row.ts";

/** Documents and scripts that an agent writes itself. */
export function documents(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  return [
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<iframe src='${gantry}?v=content'></iframe>`,
      },
      "egress",
    ),
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<meta http-equiv=refresh content='0;url=${gantry}?v=refresh'>`,
      },
      "egress",
    ),
    page(
      "Page.setDocumentContent",
      {
        frameId: "OWN_TAB",
        html: `<iframe srcdoc="<script>fetch('${gantry}?v=srcdoc',{mode:'no-cors'})</script>"></iframe>`,
      },
      "egress",
    ),
    page(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `fetch('${gantry}?v=world',{mode:'no-cors'})`,
        worldName: "other",
        runImmediately: true,
      },
      "egress",
      true,
    ),
    page(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `fetch('${gantry}?v=main',{mode:'no-cors'})`,
        includeCommandLineAPI: true,
        runImmediately: true,
      },
      "egress",
      true,
    ),
    page(
      "Network.setExtraHTTPHeaders",
      { headers: { Host: `127.0.0.1:${port}` } },
      "nothing",
    ),
    page("Page.navigate", { url: "java\nscript:fetch(1)" }, "guard"),
    page("Page.navigate", { url: "about:blank#x" }, "guard"),
    page("Page.navigate", { url: `http:\\\\127.0.0.1:${port}` }, "guard"),
    page("Page.navigate", { url: `http://127。0。0。1:${port}/` }, "guard"),
    page("Page.navigate", { url: `//127.0.0.1:${port}/` }, "guard"),
  ];
}

/** Scripts of a page. */
export function scripts(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const run = (expression: string, by: Stop) =>
    page(
      "Runtime.evaluate",
      { expression, userGesture: true, returnByValue: true },
      by,
      true,
    );
  return [
    run(
      `void fetch('${gantry}?v=fetch',{credentials:'include',mode:'no-cors'}).catch(()=>0)`,
      "egress",
    ),
    run(
      `void fetch('http://gantry.localhost:${port}/?v=name',{mode:'no-cors'}).catch(()=>0)`,
      "egress",
    ),
    run(`void new WebSocket('ws://127.0.0.1:${port}/?v=socket')`, "egress"),
    run(`void open('${gantry}?v=open')`, "egress"),
    run(`void open('${gantry}?v=noopener','_blank','noopener')`, "egress"),
    run(`location='${gantry}?v=location';0`, "egress"),
    run(
      `location=URL.createObjectURL(new Blob(['<script>fetch("${gantry}?v=blob",{mode:"no-cors"})</'+'script>'],{type:'text/html'}));0`,
      "egress",
    ),
    run(
      `document.body.innerHTML='<iframe src="${gantry}?v=iframe">';0`,
      "egress",
    ),
    run(
      `document.body.innerHTML='<a download href="${gantry}?v=download">x</a>';document.querySelector('a').click();0`,
      "egress",
    ),
    run(`location='file:///etc/passwd';0`, "chromium"),
    run(`location='chrome://version';0`, "chromium"),
    run(`void open('file:///etc/passwd')`, "chromium"),
    run(`void open('chrome://version')`, "chromium"),
    run(
      `document.body.innerHTML='<iframe src="file:///etc/passwd">';0`,
      "chromium",
    ),
    run(`location='mailto:a@b.c';0`, "chromium"),
    run(`location='view-source:${gantry}?v=source';0`, "chromium"),
  ];
}

/** Scripts that run beside a page. */
export function workers(port: number): EscapeRow[] {
  const gantry = `http://127.0.0.1:${port}/`;
  const blobOf = (code: string) =>
    `URL.createObjectURL(new Blob([${JSON.stringify(code)}],{type:'text/javascript'}))`;
  const get = (way: string) =>
    `fetch('${gantry}?v=${way}',{mode:'no-cors'}).catch(()=>0)`;
  const run = (expression: string, by: Stop) =>
    page("Runtime.evaluate", { expression, userGesture: true }, by, true);
  const rules = (kind: string, url: string) =>
    `document.head.append(Object.assign(document.createElement('script'),{type:'speculationrules',textContent:JSON.stringify({${kind}:[{urls:['${url}'],eagerness:'immediate'}]})}));0`;
  return [
    run(`void new Worker(${blobOf(get("worker"))})`, "egress"),
    run(
      `void new Worker(${blobOf(`new Worker(${blobOf(get("nested-worker"))})`)})`,
      "egress",
    ),
    run(`void new SharedWorker(${blobOf(get("shared-worker"))})`, "egress"),
    run(
      `void new Worker(${blobOf(`importScripts('${gantry}?v=import')`)})`,
      "egress",
    ),
    run(
      `void navigator.serviceWorker.register('/sw.js?port=${port}&'+Math.random())`,
      "egress",
    ),
    run(
      `void new OfflineAudioContext(1,1,44100).audioWorklet.addModule('${gantry}?v=worklet').catch(()=>0)`,
      "egress",
    ),
    run(
      `void CSS.paintWorklet.addModule('${gantry}?v=paint').catch(()=>0)`,
      "egress",
    ),
    run(rules("prerender", `${gantry}?v=prerender`), "nothing"),
    run(rules("prerender", "http://SITE/user"), "nothing"),
    run(rules("prefetch", `${gantry}?v=prefetch`), "nothing"),
    run(
      `document.body.innerHTML='<fencedframe></fencedframe><portal src="${gantry}?v=portal"></portal>';try{document.querySelector('fencedframe').config=new FencedFrameConfig('${gantry}?v=fenced')}catch{};0`,
      "nothing",
    ),
    run(
      `void new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:${port}'}]}).createOffer({offerToReceiveAudio:true})`,
      "nothing",
    ),
    run(
      `try{void new WebTransport('https://127.0.0.1:${port}/')}catch{};0`,
      "nothing",
    ),
    run(`void navigator.sendBeacon('${gantry}?v=beacon','x')`, "egress"),
    run(`void new EventSource('${gantry}?v=events')`, "egress"),
    run(
      `document.body.append(Object.assign(document.createElement('iframe'),{srcdoc:"<script>parent.fetch('${gantry}?v=parent',{mode:'no-cors'})</"+"script>"}));0`,
      "egress",
    ),
  ];
}
