;;;; What has changed in trees, removing them, and copying them.

(in-package :brisk)

(defparameter *changed-flags* '(:content 1 :no-ctime 2 :no-renames 4))
(defparameter *remove-flags* '(:keep-roots 1 :ignore-missing 2 :cross-mounts 4 :dry-run 8))
(defparameter *copy-flags*
  '(:archive 1 :new 2 :keep 4 :changed 8 :delete 16 :dry-run 32 :sync 64))
(defparameter *kinds*
  '(#\A :added #\M :modified #\D :deleted #\T :type-changed #\R :renamed #\? :unknown))

(defstruct (change (:constructor make-change (kind path old-path type)))
  "A change of one entry: :ADDED, :MODIFIED, :DELETED, :TYPE-CHANGED, :RENAMED (then OLD-PATH says
from where) or :UNKNOWN, which cannot be read now."
  kind path old-path type)

(defvar *failures* '()
  "The errors that a call has reported so far.")

(cffi:defcallback keep-failure :int ((data :pointer) (error :pointer))
  (declare (ignore data))
  (push (condition-of error) *failures*)
  0)

(defun read-change (changes index)
  (with-structure (change c-change)
    (uninterrupted (brisk-changes-get changes index change))
    (cffi:with-foreign-slots ((path old-path kind type) change (:struct c-change))
      (make-change (getf *kinds* (code-char kind) :unknown) (from-c path) (from-c old-path)
                   (type-of-code type)))))

(defmacro with-failures ((cancel) call)
  "Makes a call away from interrupts. Returns the errors that it reports."
  `(call-away ,cancel (lambda ()
                        (let ((*failures* '()))
                          ,call
                          (reverse *failures*)))))

(defun find-changes (keep cancel state directories flags ignore)
  "Calls KEEP with what libbrisk has found. Returns the errors on single entries."
  (with-structure (options changed-options)
    (set-slots options changed-options
               cancel cancel
               failed (cffi:callback keep-failure)
               flags (bits flags *changed-flags*)
               ignore (bits ignore *ignores*))
    (with-strings (states one (list state))
      (declare (ignore one))
      (with-strings (roots count directories)
        (with-failures (cancel)
          (with-error (place)
            (funcall keep (brisk-changed (cffi:mem-ref states :pointer) roots count options
                                         place))))))))

(defun call-with-changed-files (function state directory &key (save t) flags ignore)
  (let ((changes (cffi:null-pointer)))
    (with-cleanup
         (when (signal-each (with-cancel (cancel)
                              (find-changes (lambda (found) (setf changes found)) cancel state
                                            (uiop:ensure-list directory) flags ignore)))
           (prog1 (funcall function (loop for index below (brisk-changes-count changes)
                                          collect (read-change changes index)))
             (when save
               (with-error (place) (brisk-changes-save changes place)))))
      (brisk-changes-free changes))))

(defun changed-files (state directory &rest options)
  "What has changed below DIRECTORY (or a list of directories) since the state was last saved in the file
STATE, as a list of changes, sorted by path. At first everything is :ADDED. Options:
  :SAVE    T by default; with NIL the file stays as it is: the next call finds the same changes again
  :FLAGS   :CONTENT (a file has changed only if its contents have), :NO-CTIME, :NO-RENAMES
  :IGNORE  as for LIST-FILES
What cannot be read is a BRISK-ERROR, with the restarts SKIP and STOP."
  (apply #'call-with-changed-files #'identity state directory options))

(defmacro with-changed-files ((changes state directory &rest options) &body body)
  "Evaluates BODY with CHANGES, the value of CHANGED-FILES. The state is saved when BODY has returned:
after a non-local exit the next call finds the same changes again."
  `(call-with-changed-files (lambda (,changes) ,@body) ,state ,directory ,@options))

(defun check-named (path)
  "Returns PATH. A pathname without a component, such as the initial *DEFAULT-PATHNAME-DEFAULTS*,
would stand for the current directory: an error."
  (when (and (pathnamep path) (string= "" (uiop:native-namestring path)))
    (error 'brisk-error :operation "argument" :path path :errno 22
                        :text "#P\"\" names nothing; give the current directory by its path"))
  path)

(defun delete-tree (path &rest flags)
  "Removes the tree, file or link at PATH (or those of a list), and returns how many entries are gone.
Links are not followed. FLAGS are :KEEP-ROOTS, :IGNORE-MISSING, :CROSS-MOUNTS and :DRY-RUN. The
removal goes on to its end; then each entry that stays is a BRISK-ERROR, with the restarts SKIP and
STOP."
  (with-cancel (cancel)
    (with-structure (options remove-options)
      (with-structure (removed c-removed)
        (set-slots options remove-options
                   cancel cancel
                   failed (cffi:callback keep-failure)
                   flags (bits flags *remove-flags*))
        (with-strings (paths count (mapcar #'check-named (uiop:ensure-list path)))
          (signal-each
           (with-failures (cancel)
             (with-error (place) (brisk-remove paths count options removed place)))))
        (cffi:with-foreign-slots ((files directories) removed (:struct c-removed))
          (+ files directories))))))

(defun copy-files (source destination &rest options &key flags &allow-other-keys)
  "Copies the tree, file or link at SOURCE to DESTINATION, which is the copy's own path, and returns
how many files and directories were made. FLAGS, one or a list:
  :ARCHIVE  keep modes, owners, times, hard links, attributes
  :NEW      a directory at the destination is an error
  :KEEP     existing files stay as they are
  :CHANGED  existing files that are as their sources stay as they are
  :DELETE   remove from existing directories what the source does not have
  :DRY-RUN, :SYNC
Other options choose what is copied: :WILD, :TYPES (all by default), :PRUNE, :FOLLOW, :IGNORE and
:MAX-DEPTH, as for LIST-FILES. The copy goes on to its end; then each entry that could not be copied
is a BRISK-ERROR, with the restarts SKIP and STOP."
  (remf options :flags)
  (with-cancel (cancel)
    (with-structure (c-options copy-options)
      (with-structure (copied c-copied)
        (signal-each
         (apply #'call-with-walk-options
                (lambda (walk)
                  (set-slots c-options copy-options
                             walk walk
                             failed (cffi:callback keep-failure)
                             flags (bits flags *copy-flags*))
                  (with-strings (paths count (mapcar #'check-named (list source destination)))
                    (declare (ignore count))
                    (with-failures (cancel)
                      (with-error (place)
                        (brisk-copy (cffi:mem-aref paths :pointer 0)
                                    (cffi:mem-aref paths :pointer 1)
                                    c-options copied place)))))
                cancel options))
        (cffi:with-foreign-slots ((files directories) copied (:struct c-copied))
          (+ files directories))))))
