import type { Pages } from "./fake-internet.ts";

/** Techniques for sending a request from a page, by the value of `v` that identifies them. */
export const WAYS = [
  ..."fetch xhr img iframe import beacon eventsource websocket redirect-fetch redirect-iframe redirect-img".split(
    " ",
  ),
  ..."worker worker-websocket worker-import shared-worker service-worker service-worker-websocket".split(
    " ",
  ),
  ..."video audio object embed css prefetch preload css-import css-url font svg-image srcdoc ping form-post".split(
    " ",
  ),
  ..."keepalive script-tag input-image picture track".split(" "),
  ..."host-localhost host-gantry.localhost host-2130706433 host-0x7f.1 host-0.0.0.0 host-127.1 host-0177.0.0.1".split(
    " ",
  ),
  ..."host-[::ffff:127.0.0.1] dns-inside dns-mixed dns-mapped dns-rebind link-download pagehide".split(
    " ",
  ),
];

/** A page that tries every technique against Gantry's port as soon as it is loaded, with the files that it needs. */
export function attackPages(port: number): Pages {
  const to = (way: string, more = "") =>
    `http://127.0.0.1:${port}/hit?v=${way}${more}`;
  return {
    "/attack": `<!doctype html><title>attack</title><body><script>${toScript(port)}</script>`,
    "/shared.js": `onconnect=({ports})=>ports[0].postMessage(0);fetch('${to("shared-worker")}',{mode:'no-cors'}).catch(()=>{})`,
    "/sw.js": `fetch('${to("service-worker")}',{mode:'no-cors'}).catch(()=>{});new WebSocket('ws://127.0.0.1:${port}/?v=service-worker-websocket')`,
    "/worker.js": `const socket=new WebSocket('ws://127.0.0.1:${port}/?v=worker-websocket');try{importScripts('${to("worker-import", "&js=1")}')}catch{}
fetch('${to("worker")}',{mode:'no-cors'}).catch(()=>{}).then(()=>{const done=()=>postMessage(0);if(socket.readyState)done();else socket.onopen=socket.onerror=done})`,
    "/blank": "<title>blank</title>",
  };
}

function toScript(port: number): string {
  return `
const to=(way,more='')=>'http://127.0.0.1:${port}/hit?v='+way+more;
const by=(way)=>'/redirect?to='+encodeURIComponent(to(way));
const add=(name,members)=>{const element=document.createElement(name);Object.assign(element,members);document.body.append(element);return element};
let open=0;const quiet=(promise)=>{open++;const end=()=>{open--};promise.then(end,end);return promise.catch(()=>{})};
globalThis.countOpen=()=>open;
const event=(source,...names)=>quiet(new Promise((done)=>names.forEach((name)=>source.addEventListener(name,done))));
const get=(url)=>quiet(fetch(url,{mode:'no-cors'}));event(window,'load');
get(to('fetch'));quiet(fetch(to('keepalive'),{mode:'no-cors',keepalive:true}));get(by('redirect-fetch'));
const request=new XMLHttpRequest();request.open('GET',to('xhr'));request.send();
quiet(import(to('import','&js=1')));navigator.sendBeacon(to('beacon'),'x');
event(new EventSource(to('eventsource')),'error','open');event(new WebSocket('ws://127.0.0.1:${port}/?v=websocket'),'open','error');
for(const name of ['img','iframe'])add(name,{src:to(name)}),add(name,{src:by('redirect-'+name)});
for(const name of ['video','audio','embed'])add(name,{src:to(name)});
add('object',{data:to('object')});add('script',{src:to('script-tag','&js=1')});add('input',{type:'image',src:to('input-image')});
add('picture',{innerHTML:'<source srcset="'+to('picture')+'"><img>'});
add('video',{innerHTML:'<track default kind=captions src="'+to('track')+'">',crossOrigin:'anonymous'}).textTracks[0].mode='showing';
add('link',{rel:'stylesheet',href:to('css')});add('link',{rel:'prefetch',href:to('prefetch')});add('link',{rel:'preload',as:'fetch',href:to('preload'),crossOrigin:'anonymous'});
add('div',{innerHTML:'<style>@import url("'+to('css-import')+'");p{background:url("'+to('css-url')+'")}@font-face{font-family:f;src:url("'+to('font')+'")}</style><p style="font-family:f">x</p><svg><image href="'+to('svg-image')+'"/><use href="'+to('svg-use')+'#a"/></svg><iframe srcdoc="<img src='+to('srcdoc')+'>"></iframe><a id=ping href="#x" ping="'+to('ping')+'">p</a>'});
document.querySelector('#ping').click();
const form=add('form',{action:to('form-post'),method:'post',target:'answer'});add('iframe',{name:'answer'});form.submit();
add('script',{type:'speculationrules',textContent:JSON.stringify({prefetch:[{urls:[to('speculation')],eagerness:'immediate'}]})});
event(new Worker('/worker.js'),'message');
const shared=new SharedWorker('/shared.js');event(shared.port,'message');shared.port.start();
quiet(navigator.serviceWorker.register('/sw.js?'+Math.random()));quiet(navigator.serviceWorker.ready);
for(const host of ['localhost','gantry.localhost','2130706433','0x7f.1','0.0.0.0','127.1','0177.0.0.1','[::ffff:127.0.0.1]'])get('http://'+host+':${port}/hit?v=host-'+host);
for(const name of ['inside','mixed','mapped','rebind']){const url='http://'+name+'.site.test:${port}/hit?v=dns-'+name;quiet(get(url).then(()=>get(url)))}
addEventListener('pagehide',()=>navigator.sendBeacon(to('pagehide'),'x'));
globalThis.download=()=>add('a',{href:to('link-download'),download:'x'}).click();
globalThis.gathered=(async()=>{const peer=new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:${port}'}]});const found=[];
peer.onicecandidate=({candidate})=>candidate&&found.push(candidate.candidate);peer.createDataChannel('x');
const complete=new Promise((done)=>peer.onicegatheringstatechange=()=>peer.iceGatheringState==='complete'&&done());
await peer.setLocalDescription(await peer.createOffer());await complete;return found.join()})();`;
}
