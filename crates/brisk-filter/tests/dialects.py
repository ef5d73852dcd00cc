import subprocess,random,sys,os
os.environ['LC_ALL']='C.UTF-8'
random.seed(int(sys.argv[1])); N=int(sys.argv[2])
os.chdir('/tmp/rx')
paths=subprocess.run(['find','.','-print0'],capture_output=True,text=True).stdout.split('\0')[:-1]
D="emacs posix-basic posix-extended posix-awk grep egrep sed ed posix-minimal-basic findutils-default gnu-awk awk posix-egrep".split()
atoms=['a','b','.','*','+','?','\\+','\\?','|','\\|','(',')','\\(','\\)','{2}','\\{2\\}','{1,2}','\\{,2\\}','{','}','\\{','\\}','[a]','[^a]','[ab]','[]a]','[a-b]','[b-a]','[[:alpha:]]','[[:digit:]x]','[[.a.]]','[[=a=]]','[a\\]]','^','$','\\w','\\W','\\<','\\>','\\b','\\B','\\`',"\\'",'\\s','\\1','\\a','./','.*','a*','{,','{2','{2,1}','[','\\','-',']','[a-]','[^]]','\\.','\\*','\\/']
cases=[]
for i in range(N):
    n=random.randint(1,6); r='./' if random.random()<.6 else ''
    r+=''.join(random.choice(atoms) for _ in range(n))
    if random.random()<.5: r+='.*'
    cases.append((random.choice(D),r))
inp='\n'.join(d+'\t'+r for d,r in cases)+'\n'
out=subprocess.run(['/work/me/flt/debug/findlang',*paths],input=inp,capture_output=True,text=True).stdout.splitlines()
bad=0;refused=0
for (d,r),l in zip(cases,out):
    got=l.split('\t')[2]
    p=subprocess.run(['find','.','-regextype',d,'-regex',r,'-print0'],capture_output=True,text=True)
    if p.returncode: want='E '+p.stderr.strip().rsplit(': ',1)[-1]
    else: want='M '+' '.join(sorted(x.replace('\n','?') for x in p.stdout.split('\0')[:-1]))
    if got.startswith('E a back'): refused+=1; continue
    if got!=want and not (got[0]=='E' and want[0]=='E'):
        bad+=1
        if bad<25: print(d,repr(r),'got',got,'want',want)
print('bad',bad,'refused',refused,'of',N)
