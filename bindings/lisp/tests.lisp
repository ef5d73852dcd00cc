(defpackage :brisk/tests
  (:use :common-lisp :fiveam))

(in-package :brisk/tests)

(def-suite :brisk)
(in-suite :brisk)

(defvar *place*)

(defun path (below)
  (concatenate 'string *place* below))

(defun write-file (below text)
  (ensure-directories-exist (path below))
  (with-open-file (out (path below) :direction :output :if-exists :supersede
                                    :external-format :utf-8)
    (write-string text out)))

(defun call-with-tree (function)
  (let ((*place* (format nil "~Abrisk-lisp-~36R/"
                         (uiop:native-namestring (uiop:temporary-directory))
                         (random (expt 36 10) (make-random-state t)))))
    (unwind-protect
         (progn
           (write-file "posts/one.md" "1")
           (write-file "posts/two.md" "22")
           (write-file "posts/deep/three.md" "333")
           (write-file "posts/image.png" "4444")
           (write-file "posts/.hidden.md" "")
           (funcall function (path "posts")))
      (brisk:delete-tree *place* :ignore-missing))))

(defmacro with-tree ((directory) &body body)
  `(call-with-tree (lambda (,directory) (declare (ignorable ,directory)) ,@body)))

(defun below (directory paths)
  (mapcar (lambda (path) (subseq path (1+ (length directory)))) paths))

(test a-version
  (is (find #\. (brisk:version))))

(test files-are-listed-in-order
  (with-tree (directory)
    (flet ((listed (&rest options)
             (below directory (apply #'brisk:list-files directory :order :sorted options))))
      (is (equal '(".hidden.md" "deep/three.md" "image.png" "one.md" "two.md") (listed)))
      (is (equal '("deep/three.md" "one.md" "two.md") (listed :wild "*.md" :ignore :hidden)))
      (is (equal '("deep/three.md" "image.png") (listed :wild '("*.png" "deep/*"))))
      (is (equal '("deep") (listed :types :directory)))
      (is (equal '(".hidden.md" "image.png" "one.md" "two.md") (listed :prune "deep")))
      (is (equal '("deep/three.md") (listed :min-depth 2)))
      (is (equal '(".hidden.md" "image.png" "one.md" "two.md") (listed :max-depth 1)))
      (is (equal (listed) (sort (below directory (brisk:list-files (pathname directory)))
                                #'string<)))
      (signals error (brisk:list-files directory :order :by-size))
      (signals error (brisk:list-files directory :types :hat))
      (signals error (brisk:list-files directory :fields :colour)))))

(test metadata-are-filled-that-were-asked-for
  (with-tree (directory)
    (let ((entries (brisk:list-files directory :order :sorted :wild "*.md" :ignore :hidden
                                               :fields '(:size :mtime))))
      (is (equal '(3 1 2) (mapcar #'brisk:entry-size entries)))
      (is (equal '(:file :file :file) (mapcar #'brisk:entry-type entries)))
      (is (equal '(2 1 1) (mapcar #'brisk:entry-depth entries)))
      (dolist (entry entries)
        (is (= (brisk:entry-mtime entry)
               (file-write-date (brisk:path-pathname (brisk:entry-path entry)))))
        (is (null (brisk:entry-mode entry)))))))

(test a-walk-can-end-early
  (with-tree (directory)
    (let ((seen '()))
      (brisk:with-walk (next directory :order :sorted)
        (push (next) seen)
        (push (next) seen))
      (is (equal '("deep/three.md" ".hidden.md") (below directory seen)))
      (is (eq :out (block walk
                     (brisk:map-files (lambda (path)
                                        (declare (ignore path))
                                        (return-from walk :out))
                                      directory)))))
    (brisk:with-walk (next directory)
      (is (= 5 (loop while (next) count t)))
      (is (null (next))))))

(test names-that-are-not-ascii
  (with-tree (directory)
    (let ((name (coerce '(#\LATIN_SMALL_LETTER_E_WITH_ACUTE #\.) 'string))
          (octets (make-array 2 :element-type '(unsigned-byte 8) :initial-contents '(255 46))))
      (write-file (concatenate 'string "posts/new/" name) "")
      (let* ((new (path "posts/new"))
             (found (first (brisk:list-files new))))
        (is (equal (list name) (below new (list found))))
        (is (probe-file (brisk:path-pathname found)))
        ;; Octets that are no UTF-8 go in and come out as they are.
        (let ((odd (concatenate '(simple-array (unsigned-byte 8) (*))
                                (babel:string-to-octets (path "posts/odd-")) octets)))
          (cffi:with-foreign-object (string :uint8 (1+ (length odd)))
            (loop for octet across odd
                  for at from 0
                  do (setf (cffi:mem-aref string :uint8 at) octet))
            (setf (cffi:mem-aref string :uint8 (length odd)) 0)
            (is (zerop (cffi:foreign-funcall "mkdir" :pointer string :unsigned-int #o755 :int))))
          (is (equalp (list odd) (brisk:list-files directory :wild "odd-*" :types :directory)))
          (signals error (brisk:path-pathname odd))
          (is (= 1 (brisk:delete-tree odd)))
          (is (null (brisk:list-files directory :wild "odd-*" :types :directory))))))))

(test errors-are-conditions-with-restarts
  (with-tree (directory)
    (let ((roots (list (path "gone") directory (path "lost")))
          (errors '()))
      (flet ((files-with (restart)
               (setf errors '())
               (handler-bind ((brisk:brisk-error (lambda (error)
                                                   (push error errors)
                                                   (funcall restart error))))
                 (brisk:list-files roots :order :sorted))))
        (is (= 5 (length (files-with #'brisk:skip))))
        (is (equal (list (path "lost") (path "gone")) (mapcar #'brisk:brisk-error-path errors)))
        (is (equal '("stat" "stat") (mapcar #'brisk:brisk-error-operation errors)))
        (is (equal '(2 2) (mapcar #'brisk:brisk-error-errno errors)))
        (is (search "cannot stat" (princ-to-string (first errors))))
        (is (= 0 (length (files-with #'brisk:stop))))
        (is (= 1 (length errors)))
        (signals brisk:brisk-error (brisk:list-files roots))
        (signals brisk:brisk-error (brisk:list-files directory :wild "["))))))

(test changes-are-found-once
  (with-tree (directory)
    (flet ((changes (&rest options)
             (mapcar (lambda (change)
                       (list (brisk:change-kind change)
                             (subseq (brisk:change-path change) (length directory))))
                     (apply #'brisk:changed-files (path "state") directory :ignore :hidden
                            options))))
      (is (= 6 (length (changes :save nil))))
      (is (= 6 (length (changes))))
      (is (null (changes)))
      (write-file "posts/one.md" "another text")
      (delete-file (path "posts/image.png"))
      (rename-file (path "posts/two.md") (path "posts/zwei.md"))
      (is (equal '((:deleted "/image.png") (:modified "/one.md")
                   (:renamed "/zwei.md"))
                 (changes)))
      (is (null (changes)))
      (write-file "foreign" "this is not a state")
      (signals brisk:brisk-error (brisk:changed-files (path "foreign") directory)))))

(test trees-are-removed
  (with-tree (directory)
    (is (= 7 (brisk:delete-tree directory :dry-run)))
    (is (= 6 (brisk:delete-tree directory :keep-roots)))
    (is (uiop:directory-exists-p directory))
    (is (= 1 (brisk:delete-tree directory)))
    (is (= 0 (brisk:delete-tree directory :ignore-missing)))
    (signals brisk:brisk-error (brisk:delete-tree directory))
    (is (= 0 (handler-bind ((brisk:brisk-error #'brisk:skip))
               (brisk:delete-tree (list directory (path "more"))))))))

(test trees-are-copied
  (with-tree (directory)
    (flet ((copy (&rest options) (apply #'brisk:copy-files directory (path "copy") options))
           (copied () (below (path "copy") (brisk:list-files (path "copy") :order :sorted))))
      (is (= 7 (copy :flags :dry-run)))
      (is (not (uiop:directory-exists-p (path "copy"))))
      (is (= 5 (copy :wild "*.md" :ignore :hidden :types :file :flags :archive)))
      (is (equal '("deep/three.md" "one.md" "two.md") (copied)))
      (is (= 2 (copy :flags '(:archive :changed))))
      (is (equal (below directory (brisk:list-files directory :order :sorted)) (copied)))
      (write-file "copy/old" "")
      (is (= 0 (copy :flags '(:archive :changed :delete))))
      (is (= 5 (length (copied))))
      (signals brisk:brisk-error (copy :flags :new))
      (is (= 0 (handler-bind ((brisk:brisk-error #'brisk:skip)) (copy :flags :new))))
      (signals error (copy :flags :hat))
      (signals error (copy :shape :round))
      (signals brisk:brisk-error (brisk:copy-files directory #p""))
      (signals brisk:brisk-error (brisk:copy-files (path "more") (path "less"))))))

(test several-threads-walk-at-once
  (with-tree (directory)
    #+sb-thread
    (let ((threads (loop repeat 4
                         collect (sb-thread:make-thread
                                  (lambda ()
                                    (loop repeat 50
                                          sum (length (brisk:list-files directory))))))))
      (dolist (thread threads)
        (is (= 250 (sb-thread:join-thread thread)))))))

;; Descriptors and threads of this process.
#+sbcl
(defun count-held ()
  (+ (length (directory "/proc/self/fd/*" :resolve-symlinks nil))
     (length (sb-thread:list-all-threads))))

#+sbcl
(test an-interrupt-ends-a-call
  (with-tree (directory)
    (dotimes (file 2000)
      (write-file (format nil "posts/many/~D/~D" (mod file 40) file) ""))
    (let ((interrupted 0)
          (held (count-held)))
      (dolist (call (list (lambda () (brisk:list-files directory :order :sorted))
                          (lambda () (brisk:list-files directory :fields :size))
                          (lambda () (brisk:map-files #'identity directory))
                          (lambda () (brisk:changed-files (path "state") directory :save nil))
                          (lambda () (brisk:delete-tree directory :dry-run))
                          (lambda ()
                            (brisk:copy-files directory (path "copy") :flags :dry-run))))
        (loop for time from 0.0001 by 0.0002
              repeat 40
              do (handler-case (sb-ext:with-timeout time (funcall call))
                   (sb-ext:timeout () (incf interrupted)))))
      (is (plusp interrupted))
      (is (= held (count-held)))
      (is (= 2005 (length (brisk:list-files directory)))))))

#+sbcl
(test an-interrupt-that-returns-ends-nothing
  (with-tree (directory)
    (let* ((caller sb-thread:*current-thread*)
           (has-ended nil)
           (other (sb-thread:make-thread
                   (lambda ()
                     (loop until has-ended
                           do (sb-thread:interrupt-thread caller (constantly nil))
                              (sleep 0.001))))))
      (dotimes (round 20)
        (is (= 5 (length (brisk:list-files directory))))
        (is (= 7 (brisk:delete-tree directory :dry-run))))
      (setf has-ended t)
      (sb-thread:join-thread other))))

(test next-is-of-use-in-its-walk-alone
  (with-tree (directory)
    (let ((escaped (brisk:with-walk (next directory) (next) #'next)))
      (signals error (funcall escaped)))
    #+sbcl
    (brisk:with-walk (next directory)
      ;; The interrupt waits until the call allows it.
      (is (eq :out (catch 'out
                     (sb-sys:without-interrupts
                       (sb-thread:interrupt-thread sb-thread:*current-thread*
                                                   (lambda () (throw 'out :out)))
                       (sb-sys:allow-with-interrupts (next))))))
      (signals error (next)))))

#+sbcl
(test ctrl-c-ends-a-call-before-it-is-handled
  (with-tree (directory)
    (brisk:with-walk (next directory)
      (signals brisk:brisk-error
        (handler-bind ((sb-sys:interactive-interrupt #'continue))
          (sb-sys:without-interrupts
            (sb-thread:interrupt-thread sb-thread:*current-thread*
                                        (lambda ()
                                          (cerror "Go on" 'sb-sys:interactive-interrupt
                                                  :context nil :address 0)))
            (sb-sys:allow-with-interrupts (next))))))))

(test a-pathname-without-components-is-not-removed
  (with-tree (directory)
    (let ((*default-pathname-defaults* (uiop:ensure-directory-pathname directory)))
      (signals brisk:brisk-error (brisk:delete-tree #p""))
      (signals brisk:brisk-error (brisk:delete-tree (list "more" #p"") :ignore-missing))
      (is (= 5 (length (brisk:list-files #p"")))))))

(test a-state-is-saved-after-a-normal-exit
  (with-tree (directory)
    (flet ((count-changes ()
             (brisk:with-changed-files (changes (path "state") directory)
               (length changes))))
      (catch 'out
        (brisk:with-changed-files (changes (path "state") directory)
          (throw 'out changes)))
      (is (= 7 (count-changes)))
      (is (= 0 (count-changes))))))

(test the-generator-makes-one-page-for-one-post
  (with-tree (directory)
    (flet ((build ()
             (below directory (brisk/generator:build directory (path "pages") (path "state")))))
      (is (equal '("deep/three.md" "one.md" "two.md") (build)))
      (is (null (build)))
      (is (search "333" (uiop:read-file-string (path "pages/deep/three.html"))))
      (write-file "posts/one.md" "<new>")
      (is (equal '("one.md") (build)))
      (is (search "&lt;new>" (uiop:read-file-string (path "pages/one.html"))))
      (rename-file (path "posts/two.md") (path "posts/2.md"))
      (is (equal '("2.md") (build)))
      (is (equal '("2.html" "deep/three.html" "one.html")
                 (below (path "pages") (brisk:list-files (path "pages") :order :sorted)))))))
