//! `--html`: the page with a treemap.

use std::fs;

use super::{du, tree};
use crate::browser;

#[test]
#[ignore = "run by scripts/test all"]
fn the_page_leads_to_the_largest_directory_in_a_browser() {
    let place = tree();
    fs::write(place.path().join("t/<!--<script>&"), vec![7; 5_000]).unwrap();
    let page = place.path().join("page.html");
    assert!(du(place.path(), &["--html", page.to_str().unwrap(), "t"]).status.success());
    assert!(!fs::read_to_string(&page).unwrap().contains("http"), "the page needs nothing else");
    let click = "document.querySelector('#map button.d').click();\
        document.title=document.querySelector('#crumbs').textContent+' '+\
        document.querySelectorAll('#map button').length;";
    let Some((dom, log)) = browser::dump(&page, click) else { return };
    assert!(dom.contains("<title>t/large/ "), "{dom}\n{log}");
    assert!(dom.contains("a.bin") && dom.contains("in/") && dom.contains("id=\"list\""), "{dom}");
    assert!(!log.contains("CONSOLE"), "{log}");
    let back = "document.querySelector('#map button').focus();\
        document.dispatchEvent(new KeyboardEvent('keydown',{key:'Escape',bubbles:true}));\
        const by=document.querySelector('#by');by.value='age';by.onchange();\
        document.title=document.querySelector('#crumbs').textContent;";
    let (dom, log) = browser::dump(&page, back).unwrap();
    assert!(dom.contains("<title>t/ "), "{dom}\n{log}");
    assert!(dom.contains("four years</span>"), "a legend: {dom}");
    assert!(!log.contains("CONSOLE"), "{log}");
    // A directory has the colour of what takes most of it.
    let colors = "const color=()=>document.querySelector('#map button.d').style.background,\
        kind=document.querySelector('#legend i').style.background,first=color()===kind,\
        by=document.querySelector('#by');by.value='none';by.onchange();\
        document.title=[first,color()===kind,document.querySelector('#legend').textContent].join();";
    let (dom, log) = browser::dump(&page, colors).unwrap();
    assert!(dom.contains("<title>true,false,</title>"), "{dom}\n{log}");
    // Many small files are one box, and no box leaves the map.
    let many = place.path().join("t/many");
    fs::create_dir(&many).unwrap();
    (0..3000).for_each(|file| fs::write(many.join(file.to_string()), [7; 200]).unwrap());
    assert!(du(place.path(), &["-b", "--html", page.to_str().unwrap(), "t"]).status.success());
    let look = "const map=document.getElementById('map'),edge=map.getBoundingClientRect().right,\
        boxes=[...document.querySelectorAll('#map button')];document.title=boxes.length+' '+\
        boxes.filter(b=>b.getBoundingClientRect().right>edge+.5).length+' outside, '+\
        document.querySelector('h1').textContent;";
    let (dom, log) = browser::dump(&page, look).unwrap();
    assert!(dom.contains(" 0 outside, ") && dom.contains(" entries</title>"), "{dom}\n{log}");
    assert!(dom.contains("3,000 entries "), "{dom}");
}

/// Small ones are folded.
#[test]
fn the_page_of_many_files_stays_small() {
    // In memory, if it can be: on a disk the files alone take twenty seconds of a processor.
    let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    for dir in 0..60 {
        let dir = place.path().join(format!("a-directory-with-a-long-name-{dir:060}"));
        fs::create_dir(&dir).unwrap();
        for file in 0..1_000 {
            fs::write(dir.join(format!("{file:0120}")), "").unwrap();
        }
    }
    let page = tempfile::tempdir().unwrap();
    let page = page.path().join("page.html");
    let words = ["--inodes", "--html", page.to_str().unwrap(), "."];
    assert!(du(place.path(), &words).status.success());
    let length = fs::metadata(&page).unwrap().len();
    assert!((3 << 20..4 << 20).contains(&length), "{length}");
}
